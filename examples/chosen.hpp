#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/real.hpp"
#include "report/picture.hpp"

namespace fovea::inline FOVEA_REAL {

/// An item that is to be shown, and why.
struct Chosen {
  std::size_t item = 0;
  std::string group;
};

/// Of items with an error each the `wanted.worst` with the largest, the largest first, then `wanted.typical`
/// others spread evenly over those in order of their error, from the middle of each part. What is not finite
/// counts as largest. The same always.
std::vector<Chosen> choose(std::span<const double> errors, const report::Wanted& wanted);

/// The errors of items, in their order.
using ErrorsOf = std::function<std::vector<double>(std::span<const std::size_t> items)>;

/// The same of `count` items, at most `tried` of which are measured, spread evenly (data often stand in some
/// order): finding the worst takes time. Where none of these is wanted nothing is measured, and the typical
/// ones come from the middle of equal parts of all items.
std::vector<Chosen> choose(std::size_t count, std::size_t tried, const report::Wanted& wanted,
                           const ErrorsOf& errors_of);

}  // namespace fovea::inline FOVEA_REAL
