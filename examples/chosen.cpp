#include "examples/chosen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "report/room.hpp"

namespace fovea::inline FOVEA_REAL {

std::vector<Chosen> choose(std::span<const double> errors, const report::Wanted& wanted) {
  std::vector<std::size_t> order(errors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto error_of = [&](std::size_t i) {
    return std::isfinite(errors[i]) ? errors[i] : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return error_of(a) > error_of(b); });
  std::vector<Chosen> chosen;
  const std::size_t worst = std::min(wanted.worst, order.size());
  for (std::size_t i = 0; i < worst; ++i) chosen.push_back({order[i], "worst"});
  const std::size_t others = order.size() - worst, typical = std::min(wanted.typical, others);
  for (std::size_t i = 0; i < typical; ++i)
    chosen.push_back({order[worst + (2 * i + 1) * others / (2 * typical)], "typical"});
  return chosen;
}

std::vector<Chosen> choose(std::size_t count, std::size_t tried, const report::Wanted& wanted,
                           const ErrorsOf& errors_of) {
  // Of equal errors the choice is by place.
  if (wanted.worst == 0) return choose(std::vector<double>(count), wanted);
  const std::vector<std::size_t> items = report::spread(count, tried);
  std::vector<Chosen> chosen = choose(errors_of(items), wanted);
  for (Chosen& one : chosen) one.item = items[one.item];
  return chosen;
}

}  // namespace fovea::inline FOVEA_REAL
