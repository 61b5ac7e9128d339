#include <cblas.h>
#include <cstdio>
#include <string>

#include "benchmarks/parts.hpp"
#include "core/blas_kernel.hpp"
#include "core/kernels/choose.hpp"
#include "training/version.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

#if defined(__clang__)
constexpr const char* compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* compiler = "g++ " __VERSION__;
#else
constexpr const char* compiler = "unknown";
#endif

// "OpenBLAS 0.3.21" of "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY …".
std::string blas_version() {
  const std::string config = openblas_get_config();
  return config.substr(0, config.find(' ', config.find(' ') + 1));
}

}  // namespace

int print_about() {
  std::printf(
      "{\"fovea\": \"%s\", \"compiler\": \"%s\", \"cpu\": \"%s\", \"kernels\": \"%s\", \"blas\": \"%s\", "
      "\"blas_kernel\": \"%s\"}\n",
      version().c_str(), compiler, cpu_name().c_str(), kernels().level, blas_version().c_str(),
      blas_kernel().c_str());
  return 0;
}

}  // namespace fovea::inline FOVEA_REAL
