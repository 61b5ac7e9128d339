#include "core/blas_kernel.hpp"

#include <algorithm>
#include <array>
#include <cblas.h>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <limits>
#include <optional>
#include <vector>

namespace fovea {
namespace {

using Function = void (*)();

constexpr const char* variable = "OPENBLAS_CORETYPE";

/// Sets the variable for a while, or removes it when `value` is null.
class Environment {
 public:
  explicit Environment(const char* value) {
    if (const char* old = std::getenv(variable)) before_ = old;
    value ? setenv(variable, value, 1) : unsetenv(variable);
  }
  ~Environment() { before_ ? setenv(variable, before_->c_str(), 1) : unsetenv(variable); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::optional<std::string> before_;
};

void multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const float* a, int lda,
              const float* b, int ldb, float* c) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, n);
}
void multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const double* a, int lda,
              const double* b, int ldb, double* c) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, n);
}

/// One product against a plain loop. The elements are small integers, so that the right result is exact.
template <class T>
bool product_is_right(bool ta, bool tb, int m, int n, int k) {
  std::vector<T> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  std::vector<T> c(static_cast<std::size_t>(m * n), std::numeric_limits<T>::quiet_NaN());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(static_cast<int>(i * 7 % 11) - 5);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(static_cast<int>(i * 5 % 13) - 6);
  const int lda = ta ? m : k, ldb = tb ? k : n;
  multiply(ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, a.data(), lda, b.data(),
           ldb, c.data());
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      T right = 0;
      for (int p = 0; p < k; ++p) {
        right += a[static_cast<std::size_t>(ta ? p * lda + i : i * lda + p)] *
                 b[static_cast<std::size_t>(tb ? j * ldb + p : p * ldb + j)];
      }
      if (!(c[static_cast<std::size_t>(i * n + j)] == right)) return false;
    }
  }
  return true;
}

bool self_test() {
  constexpr std::array<std::array<int, 3>, 4> sizes{{{1, 1, 1}, {17, 13, 37}, {3, 65, 7}, {67, 49, 33}}};
  for (const auto& [m, n, k] : sizes) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      const bool ta = transposes & 1, tb = transposes & 2;
      if (!product_is_right<float>(ta, tb, m, n, k) || !product_is_right<double>(ta, tb, m, n, k))
        return false;
    }
  }
  return true;
}

/// Kernels worth trying on this CPU, best first, and for each the kernels that are at least as good.
struct Candidate {
  const char* name;
  std::vector<std::string> equals;
};
std::vector<Candidate> candidates() {
  std::vector<Candidate> result;
#if defined(__x86_64__)
  const std::vector<std::string> wide{"SkylakeX", "Cooperlake", "SapphireRapids"};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    result.push_back({"SkylakeX", wide});
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    // "Zen" is the same kernel with smaller blocks: 3 to 20 % slower, measured on a Zen 3.
    std::vector<std::string> equals{"Haswell"};
    equals.insert(equals.end(), wide.begin(), wide.end());
    result.push_back({"Haswell", equals});
  }
#endif
  return result;
}

std::string core_name() { return openblas_get_corename(); }

std::string choose() {
  openblas_set_num_threads(1);
  const char* wish = std::getenv(variable);
  if (wish && *wish) return core_name();

  const auto quit = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_quit"));
  const auto init = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_init"));
  if (!quit || !init) return core_name();  // not a build that chooses at run time

  const auto restart = [&](const char* name) {
    const Environment environment(name);
    quit();
    init();
  };
  bool failed = false;
  for (const Candidate& candidate : candidates()) {
    const auto& equals = candidate.equals;
    const bool there = std::find(equals.begin(), equals.end(), core_name()) != equals.end();
    if (failed || !there) restart(candidate.name);
    if (self_test()) return core_name();
    failed = true;
  }
  if (failed) restart(nullptr);  // as it was when the library was loaded
  return core_name();
}

}  // namespace

const std::string& blas_kernel() {
  static const std::string name = choose();
  return name;
}

}  // namespace fovea
