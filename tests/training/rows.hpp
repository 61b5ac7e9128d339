#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "training/folder.hpp"

namespace fovea {

inline std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::istringstream text(content(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// The rows of a run's metrics.jsonl without their times.
inline std::vector<std::string> rows_of(const std::filesystem::path& folder) {
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(folder / "metrics.jsonl")) {
    auto row = nlohmann::json::parse(line);
    row.erase("seconds");
    rows.push_back(row.dump());
  }
  return rows;
}

}  // namespace fovea
