#include <fmt/format.h>

#include "report/assets.hpp"
#include "report/colours.hpp"
#include "report/page.hpp"
#include "report/page_json.hpp"
#include "report/text.hpp"

namespace fovea::report {

std::string html(const Page& page) {
  std::string title;
  for (const RunRecord& run : page.runs) title += (title.empty() ? "" : ", ") + run.name;
  std::string text = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  // Whatever the data hold, nothing is ever fetched.
  text +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data:\">\n";
  text += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  text += fmt::format("<title>{} – Fovea</title>\n", escaped(title));
  text +=
      fmt::format("<style>\n{}{}{}</style>\n", assets::uplot_css(), colour_variables(), assets::page_css());
  text +=
      "</head>\n<body>\n<main id=\"page\"><noscript>This report needs JavaScript; fovea plot writes SVG, "
      "too.</noscript></main>\n";
  text +=
      fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", in_script(page_json(page)));
  text += fmt::format("<script>\n{}</script>\n<script>\n{}{}{}</script>\n</body>\n</html>\n",
                      assets::uplot_js(), assets::curves_js(), assets::pictures_js(), assets::page_js());
  return text;
}

}  // namespace fovea::report
