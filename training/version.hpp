#pragma once

#include <cstddef>
#include <string>

namespace fovea {

/// What computes: for `--version` and for a run's record.
struct About {
  std::string version, precision, cpu;
  std::string kernels, blas;  // instruction level; name of the OpenBLAS kernel
  std::size_t threads = 0;

  /// On one line.
  std::string text() const;
};

/// The version of this library.
std::string version();
/// The name that the CPU gives itself.
std::string cpu_name();

}  // namespace fovea
