#pragma once

#include <string>

#include "report/page.hpp"

namespace fovea::report {

/// The page as report/page/*.js read it: {runs, charts, pictures, backdrops}. Texts are `visible`, numbers
/// rounded to five digits, and what is not finite is null. Weights of heat maps and forecasts are packed,
/// {most, steps}: two bytes each in base64, the lower one first, of which 65535 is `most`; heads for which a
/// page has no room are left out (report/room.hpp).
std::string page_json(const Page& page);

}  // namespace fovea::report
