#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "training/statistics.hpp"

namespace fovea {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The most memory that this program has held so far.
inline double peak_mb() {
  // What getrusage tells may be the memory of the process that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// When to stop: after `seconds` or `most` runs, but not before `least`.
struct Patience {
  double seconds = 1.5;
  std::size_t least = 3, most = 400;
};

struct Times {
  double median_ms, best_ms;
};

/// Runs `run` again and again, without a warm-up.
template <class Run>
Times timed(const Run& run, const Patience& patience) {
  std::vector<double> times;
  const double start = seconds_now();
  while (times.size() < patience.least ||
         (seconds_now() - start < patience.seconds && times.size() < patience.most)) {
    const double began = seconds_now();
    run();
    times.push_back(seconds_now() - began);
  }
  return {1e3 * median(times), 1e3 * *std::min_element(times.begin(), times.end())};
}

}  // namespace fovea
