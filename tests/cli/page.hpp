#pragma once

#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "training/folder.hpp"

namespace fovea {

/// What the scripts of a page read.
inline nlohmann::json page_data(const std::filesystem::path& file) {
  const std::string html = content(file), begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = html.find(begin);
  REQUIRE(from != html.npos);
  const std::size_t first = from + begin.size();
  return nlohmann::json::parse(html.substr(first, html.find("</script>", first) - first));
}

}  // namespace fovea
