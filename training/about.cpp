#include "training/about.hpp"

#include "core/blas_kernel.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {

About about() {
  return {version(), sizeof(Real) == 4 ? "f32" : "f64", cpu_name(), kernels().level, blas_kernel(),
          threads()};
}

}  // namespace fovea::inline FOVEA_REAL
