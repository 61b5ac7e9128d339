#include "training/metrics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "training/text.hpp"

namespace fovea {

std::string_view to_string(Split split) {
  switch (split) {
    case Split::train:
      return "train";
    case Split::validation:
      return "validation";
    case Split::test:
      return "test";
  }
  return "";
}

Split split_of(std::string_view name) {
  for (const Split split : {Split::train, Split::validation, Split::test}) {
    if (to_string(split) == name) return split;
  }
  throw ConfigError(fmt::format("--split: expected one of train, validation, test, got \"{}\"", name));
}

double Metrics::at(std::string_view name) const {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.value;
    names.push_back(entry.name);
  }
  throw Error(join("[metrics] there is no \"", name, "\" among ", list(names)));
}

bool Metrics::better_than(double other) const {
  return higher_is_better ? selected_value() > other : selected_value() < other;
}

std::string Metrics::json() const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Entry& entry : entries) object[entry.name] = entry.value;
  return object.dump();
}

std::string Metrics::table() const {
  std::size_t width = 0;
  for (const Entry& entry : entries)
    if (!entry.detail) width = std::max(width, entry.name.size());
  std::string text;
  for (const Entry& entry : entries)
    if (!entry.detail) text += fmt::format("{:<{}}  {}\n", entry.name, width, brief(entry.value, 5));
  return text;
}

}  // namespace fovea
