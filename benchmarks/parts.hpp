#pragma once

#include <cstddef>

#include "core/real.hpp"

// The subcommands of fovea_bench beside the workloads. Each prints JSON lines and returns an exit code.

namespace fovea::inline FOVEA_REAL {

/// What `threads` cores can do at once, for each vector width that this CPU has: fused multiply-adds in
/// single precision (`gflops`, two operations each), and copies of memory that no cache holds (`gb_per_s`,
/// bytes read and bytes written).
int print_limits(std::size_t threads);

/// Cost of ops on tensors of 4 × 8: nanoseconds and calls of operator new, forward and recorded, and the same
/// with the backward pass.
int print_ops();

/// Version, compiler, kernels in use.
int print_about();

}  // namespace fovea::inline FOVEA_REAL
