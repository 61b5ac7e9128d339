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

std::vector<double> Metrics::tie_values() const {
  std::vector<double> values;
  for (const Tie& tie : ties) values.push_back(at(tie.name));
  return values;
}

bool Metrics::better_than(double other, std::span<const double> other_ties) const {
  const double own = selected_value();
  if (own != other) return higher_is_better ? own > other : own < other;
  const std::vector<double> values = tie_values();
  for (std::size_t i = 0; i < std::min(values.size(), other_ties.size()); ++i)
    if (values[i] != other_ties[i])
      return ties[i].higher_is_better ? values[i] > other_ties[i] : values[i] < other_ties[i];
  return false;
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
