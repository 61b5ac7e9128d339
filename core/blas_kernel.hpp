#pragma once

#include <string>

namespace fovea {

/// Name of the OpenBLAS kernel in use, such as "Haswell" or "SkylakeX".
///
/// The first call chooses it, and has to come before the first product (`gemm` sees to that): OpenBLAS
/// takes an SSE3 kernel on a CPU that it does not know, which costs a factor of four. The best kernel that
/// this CPU can run is taken instead, and has to pass a self-test, or the next lower one is; a core
/// type in the user's OPENBLAS_CORETYPE is left alone. OpenBLAS is set to one thread: the threads
/// are ours. Thread-safe; the environment is the same afterwards.
const std::string& blas_kernel();

}  // namespace fovea
