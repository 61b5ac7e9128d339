#pragma once

#include <string_view>

// The files of report/page and third_party/uplot, which the build puts into the program (cmake/embed.cmake).

namespace fovea::report::assets {

std::string_view uplot_js();
std::string_view uplot_css();
std::string_view page_css();
std::string_view curves_js();
std::string_view pictures_js();
std::string_view page_js();

}  // namespace fovea::report::assets
