#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "benchmarks/parts.hpp"
#include "benchmarks/timing.hpp"
#include "benchmarks/workloads.hpp"
#include "core/parallel.hpp"

using namespace fovea;

// Times one thing in a process of its own, and prints JSON lines with the fields of the peers'
// (benchmarks/peers). script/bench runs it many times and puts the figures together.

namespace {

constexpr const char* usage = R"(usage:
  fovea_bench                         lists the workloads and their lengths T
  fovea_bench workloads               the same as JSON lines, with what they are
  fovea_bench ID[:T] [THREADS [RUNS]] times one; RUNS fixes how often, for a profiler
  fovea_bench turns ID[:T] [THREADS]  times it for as many seconds as each line of stdin says
  fovea_bench limits [THREADS]        what the cores can do: multiply-adds, copies of memory
  fovea_bench ops                     nanoseconds and allocations of ops on small tensors
  fovea_bench about                   versions and kernels
)";

int list() {
  for (const Workload& work : workloads()) {
    std::printf("%s", work.id.c_str());
    for (const std::size_t T : work.lengths) std::printf(" %zu", T);
    std::printf("\n");
  }
  return 0;
}

int describe() {
  for (const Workload& work : workloads()) {
    std::string lengths;
    for (const std::size_t T : work.lengths) lengths += (lengths.empty() ? "" : ", ") + std::to_string(T);
    std::printf("{\"id\": \"%s\", \"about\": \"%s\", \"lengths\": [%s]}\n", work.id.c_str(),
                work.about.c_str(), lengths.c_str());
  }
  return 0;
}

struct Request {
  const Workload* work;
  std::size_t T, threads;
};

// What "W2:512" asks for; nothing when there is no such workload.
std::optional<Request> request(const std::string& wanted, std::size_t count) {
  const std::string id = wanted.substr(0, wanted.find(':'));
  const std::size_t T = id == wanted ? 0 : std::strtoul(wanted.c_str() + id.size() + 1, nullptr, 10);
  for (const Workload& work : workloads()) {
    if (work.id == id && work.lengths.empty() == (T == 0)) return Request{&work, T, count};
  }
  std::fprintf(stderr, "fovea_bench: there is no workload \"%s\"; without arguments it lists them\n",
               wanted.c_str());
  return {};
}

void print(const Request& asked, const Times& times, double before_mb) {
  const std::string length = asked.T ? std::to_string(asked.T) : "null";
  const double peak = peak_mb();
  std::printf(
      "{\"id\": \"%s\", \"T\": %s, \"threads\": %zu, \"ms\": %.5f, \"best_ms\": %.5f, \"rss_mb\": %.0f, "
      "\"rss_work_mb\": %.1f, \"peer\": \"fovea\"}\n",
      asked.work->id.c_str(), length.c_str(), asked.threads, times.median_ms, times.best_ms, peak,
      peak - before_mb);
  std::fflush(stdout);
}

int once(const Request& asked, std::size_t runs) {
  set_threads(asked.threads);
  const double before = peak_mb();
  const auto run = asked.work->make(asked.T);
  run();
  print(asked, timed(run, runs ? Patience{0, runs, runs} : Patience{}), before);
  return 0;
}

// The first line tells of the warm-up alone; then one line for each line that is read.
int in_turns(const Request& asked) {
  set_threads(asked.threads);
  const double before = peak_mb();
  const auto run = asked.work->make(asked.T);
  print(asked, timed(run, {0, 1, 1}), before);
  for (std::string line; std::getline(std::cin, line);) {
    print(asked, timed(run, {std::strtod(line.c_str(), nullptr), 1, 2000}), before);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return argc > i ? std::strtoul(argv[i], nullptr, 10) : 0; };
  const auto threads_at = [&](int i) { return argc > i ? number(i) : 1; };
  if (argc < 2) return list();
  const std::string command = argv[1];
  if (command == "-h" || command == "--help") {
    std::fputs(usage, stdout);
    return 0;
  }
  if (command == "workloads") return describe();
  if (command == "limits") return print_limits(threads_at(2));
  if (command == "ops") return print_ops();
  if (command == "about") return print_about();
  const bool turns = command == "turns" && argc > 2;
  const auto asked = turns ? request(argv[2], threads_at(3)) : request(command, threads_at(2));
  if (!asked) return 2;
  return turns ? in_turns(*asked) : once(*asked, number(3));
}
