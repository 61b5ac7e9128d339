#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

#include "benchmarks/workloads.hpp"
#include "core/parallel.hpp"

using namespace fovea;

// fovea_bench ID[:T] [THREADS [RUNS]]: times one workload in this process and prints one JSON line, with the
// fields of the peers' (benchmarks/peers). RUNS fixes how often, for a profiler. Without arguments: what
// there is.

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double resident_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// As the peers measure: one warm-up, then repeated runs for 1.5 s, at least 3 and at most 400.
struct Times {
  double median_ms, best_ms;
};
Times timed(const std::function<void()>& run, std::size_t runs) {
  run();
  std::vector<double> times;
  const double start = seconds();
  while (runs ? times.size() < runs : times.size() < 3 || (seconds() - start < 1.5 && times.size() < 400)) {
    const double began = seconds();
    run();
    times.push_back(seconds() - began);
  }
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  return {1e3 * (times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2), 1e3 * times[0]};
}

int list() {
  for (const Workload& work : workloads()) {
    std::printf("%s", work.id.c_str());
    for (const std::size_t T : work.lengths) std::printf(" %zu", T);
    std::printf("\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return list();
  const std::string wanted = argv[1], id = wanted.substr(0, wanted.find(':'));
  const std::size_t T = id == wanted ? 0 : std::strtoul(wanted.c_str() + id.size() + 1, nullptr, 10);
  const std::size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  for (const Workload& work : workloads()) {
    if (work.id != id) continue;
    if (work.lengths.empty() != (T == 0)) break;
    set_threads(count);
    const double before = resident_mb();
    const Times times = timed(work.make(T), argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0);
    const double peak = resident_mb();
    std::printf(
        "{\"id\": \"%s\", \"T\": %s, \"threads\": %zu, \"ms\": %.4f, \"best_ms\": %.4f, \"rss_mb\": %.0f, "
        "\"rss_work_mb\": "
        "%.0f, "
        "\"peer\": \"fovea\"}\n",
        id.c_str(), T ? std::to_string(T).c_str() : "null", count, times.median_ms, times.best_ms, peak,
        peak - before);
    return 0;
  }
  std::fprintf(stderr, "fovea_bench: there is no workload \"%s\"; without arguments it lists them\n",
               wanted.c_str());
  return 2;
}
