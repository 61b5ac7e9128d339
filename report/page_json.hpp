#pragma once

#include <string>

#include "report/page.hpp"

namespace fovea::report {

/// The page as report/page/*.js read it: {runs, charts, pictures, backdrops}. Texts are `visible`, numbers
/// rounded to five digits, and what is not finite is null.
std::string page_json(const Page& page);

}  // namespace fovea::report
