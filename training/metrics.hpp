#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// The parts of a data set: learned from, chosen by, reported.
enum class Split { train, validation, test };

std::string_view to_string(Split split);
/// ConfigError for any other name than `train`, `validation`, `test`.
Split split_of(std::string_view name);

/// Named numbers in the order in which they are shown. `selected` is the one by which models are chosen.
struct Metrics {
  struct Entry {
    std::string name;
    double value = 0;
    bool detail = false;  // in files and JSON, and not in what is printed for people
  };
  struct Tie {
    std::string name;
    bool higher_is_better = false;
  };
  std::vector<Entry> entries;
  std::string selected;
  bool higher_is_better = true;
  std::vector<Tie> ties;  // what decides, one after the other, between models whose selected metric is equal

  void add(std::string name, double value) { entries.push_back({std::move(name), value}); }
  void add_detail(std::string name, double value) { entries.push_back({std::move(name), value, true}); }
  /// Error that lists the names there are when `name` is none of them.
  double at(std::string_view name) const;
  double selected_value() const { return at(selected); }
  /// The values of `ties`, in that order.
  std::vector<double> tie_values() const;
  /// True when this one is to be preferred over a model whose selected metric was `other`, with those values
  /// of its ties. NaN never is, nor what is equal in everything.
  bool better_than(double other, std::span<const double> other_ties = {}) const;

  /// One JSON object, names → values; what is not finite becomes null.
  std::string json() const;
  /// `name  value` lines for people, aligned, without details.
  std::string table() const;
};

}  // namespace fovea
