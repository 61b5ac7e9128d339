#pragma once

#include <span>
#include <string>
#include <vector>

namespace fovea {

// NaN of nothing.
double mean(std::span<const double> values);
double median(std::vector<double> values);

/// Sample deviation, √(Σ(x - x̄)² / (n - 1)); 0 of one value or none.
double deviation(std::span<const double> values);

/// `0.62 ± 0.03`: mean and sample deviation; one value by itself, a dash for none.
std::string mean_and_deviation(std::span<const double> values);

}  // namespace fovea
