#include "experiments/account/difference.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "training/statistics.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

// 97.5 % quantiles of Student's t for 1, 2, … degrees of freedom.
double student(std::size_t degrees) {
  constexpr std::array<double, 10> known{12.706, 4.303, 3.182, 2.776, 2.571,
                                         2.447,  2.365, 2.306, 2.262, 2.228};
  return degrees <= known.size() ? known[degrees - 1] : 1.96 + 2.7 / static_cast<double>(degrees);
}

Difference paired(const std::map<std::uint64_t, double>& values,
                  const std::map<std::uint64_t, double>& others) {
  std::vector<double> pairs;
  for (const auto& [seed, value] : values)
    if (const auto other = others.find(seed); other != others.end()) pairs.push_back(value - other->second);
  return difference_of(pairs);
}

}  // namespace

Difference difference_of(std::span<const double> pairs) {
  if (pairs.size() < 2) return {mean(pairs), std::numeric_limits<double>::infinity(), pairs.size()};
  const double error = deviation(pairs) / std::sqrt(static_cast<double>(pairs.size()));
  return {mean(pairs), student(pairs.size() - 1) * error, pairs.size()};
}

Difference between_rows(const Figures& figures, const std::string& table, const std::string& row,
                        const std::string& other, const std::string& column) {
  return paired(figures.by_seed(table, row, column), figures.by_seed(table, other, column));
}

Difference between_columns(const Figures& figures, const std::string& table, const std::string& row,
                           const std::string& column, const std::string& other) {
  return paired(figures.by_seed(table, row, column), figures.by_seed(table, row, other));
}

std::string told(const Difference& difference) {
  if (difference.pairs == 0) return "–";
  const std::string sign = difference.mean > 0 ? "+" : "";
  if (difference.pairs == 1) return sign + brief(difference.mean, 3) + " (one pair)";
  return sign + brief(difference.mean, 3) + " ± " + brief(difference.margin, 2);
}

std::string doubt(const Difference& difference) {
  return difference.pairs > 1 && !difference.is_clear() ? " (no clear difference)" : "";
}

}  // namespace fovea::experiments
