#include <barrier>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "benchmarks/parts.hpp"
#include "benchmarks/timing.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fovea::inline FOVEA_REAL {
namespace {

// Chains that do not depend on each other hide the latency of a multiply-add: 4 or 5 cycles, two a cycle.
constexpr std::size_t chains = 12;
constexpr std::size_t steps = 1 << 20;

struct Width {
  const char* name;
  std::size_t lanes;
  void (*run)();
  double flops() const { return 2.0 * static_cast<double>(lanes * chains * steps); }
};

// An empty assembler line stands for a use of each sum: without it nothing would be computed.
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void multiply_add_256() {
  const __m256 factor = _mm256_set1_ps(0.999F), term = _mm256_set1_ps(0.001F);
  __m256 sums[chains];
  for (__m256& sum : sums) sum = term;
  for (std::size_t i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (std::size_t c = 0; c < chains; ++c) sums[c] = _mm256_fmadd_ps(sums[c], factor, term);
  }
#pragma GCC unroll 12
  for (std::size_t c = 0; c < chains; ++c) asm volatile("" : : "x"(sums[c]));
}

__attribute__((target("avx512f"))) void multiply_add_512() {
  const __m512 factor = _mm512_set1_ps(0.999F), term = _mm512_set1_ps(0.001F);
  __m512 sums[chains];
  for (__m512& sum : sums) sum = term;
  for (std::size_t i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (std::size_t c = 0; c < chains; ++c) sums[c] = _mm512_fmadd_ps(sums[c], factor, term);
  }
#pragma GCC unroll 12
  for (std::size_t c = 0; c < chains; ++c) asm volatile("" : : "v"(sums[c]));
}
#endif

std::vector<Width> widths() {
  std::vector<Width> found;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back({"avx2", 8, multiply_add_256});
  if (__builtin_cpu_supports("avx512f")) found.push_back({"avx512", 16, multiply_add_512});
#endif
  return found;
}

// Median milliseconds of a round in which every thread runs `work` once.
double together(std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::barrier gate(static_cast<std::ptrdiff_t>(threads));
  constexpr int rounds = 9;
  const auto others = [&](std::size_t t) {
    for (int round = 0; round < rounds; ++round) {
      gate.arrive_and_wait();
      work(t);
      gate.arrive_and_wait();
    }
  };
  std::vector<std::jthread> pool;
  for (std::size_t t = 1; t < threads; ++t) pool.emplace_back(others, t);
  return timed(
             [&] {
               gate.arrive_and_wait();
               work(0);
               gate.arrive_and_wait();
             },
             {0, rounds, rounds})
      .median_ms;
}

}  // namespace

int print_limits(std::size_t threads) {
  if (threads == 0) threads = 1;
  const double cores = static_cast<double>(threads);
  for (const Width& width : widths()) {
    const double ms = together(threads, [&](std::size_t) { width.run(); });
    std::printf("{\"limit\": \"fma\", \"width\": \"%s\", \"threads\": %zu, \"gflops\": %.1f}\n", width.name,
                threads, cores * width.flops() / ms * 1e-6);
  }
  constexpr std::size_t bytes = std::size_t{64} << 20;
  std::vector<std::vector<char>> from(threads, std::vector<char>(bytes, 1)), to = from;
  const double ms = together(threads, [&](std::size_t t) {
    std::memcpy(to[t].data(), from[t].data(), bytes);
    asm volatile("" : : "r"(to[t].data()) : "memory");
  });
  std::printf("{\"limit\": \"copy\", \"threads\": %zu, \"gb_per_s\": %.2f}\n", threads,
              cores * 2 * static_cast<double>(bytes) / ms * 1e-6);
  return 0;
}

}  // namespace fovea::inline FOVEA_REAL
