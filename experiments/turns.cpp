#include "experiments/turns.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sys/wait.h>
#include <unistd.h>

#include "core/check.hpp"
#include "core/parallel.hpp"

namespace fovea::experiments {
namespace {

double milliseconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// A line of this process's status, in kB.
double status(std::string_view name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return std::strtod(line.c_str() + name.size(), nullptr);
  return std::numeric_limits<double>::quiet_NaN();
}

// A system call, made again as long as signals interrupt it.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

std::vector<std::vector<double>> time_in_turns(const std::vector<Timed>& all, std::size_t rounds) {
  for (const Timed& one : all) one.run();
  std::vector<std::vector<double>> times(all.size());
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) times[i].push_back(milliseconds_of(all[i].run));
  return times;
}

void time_in_turns(const std::vector<Timed>& all, std::size_t rounds, const std::string& table,
                   const std::string& row, Figures& into) {
  const std::vector<std::vector<double>> times = time_in_turns(all, rounds);
  for (std::size_t i = 0; i < all.size(); ++i) add_rounds(into, table, row, all[i].column, times[i]);
}

void add_rounds(Figures& into, const std::string& table, const std::string& row, const std::string& column,
                const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) into.add(table, row, column, i + 1, values[i]);
}

void add_ratios(Figures& into, const std::string& table, const std::string& row, const std::string& column,
                const std::string& by, const std::string& ratio_table, const std::string& ratio_column) {
  const std::vector<double> above = into.of(table, row, column), below = into.of(table, row, by);
  std::vector<double> ratios(std::min(above.size(), below.size()));
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = above[i] / below[i];
  add_rounds(into, ratio_table, row, ratio_column, ratios);
}

double peak_mb_of(const std::function<void()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw Error("cannot measure memory: there is no pipe to a child process");
  const pid_t child = ::fork();
  if (child < 0) throw Error("cannot measure memory: there is no child process");
  if (child == 0) {
    double grown = std::numeric_limits<double>::quiet_NaN();
    try {
      set_threads(1);
      std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
      const double before = status("VmRSS:");
      work();
      grown = (status("VmHWM:") - before) / 1024;
    } catch (...) {
    }
    const bool is_written = ::write(ends[1], &grown, sizeof grown) == sizeof grown;
    ::_exit(is_written ? 0 : 1);
  }
  ::close(ends[1]);
  double grown = std::numeric_limits<double>::quiet_NaN();
  if (uninterrupted([&] { return ::read(ends[0], &grown, sizeof grown); }) != sizeof grown)
    grown = std::numeric_limits<double>::quiet_NaN();
  ::close(ends[0]);
  uninterrupted([&] { return ::waitpid(child, nullptr, 0); });
  return grown;
}

}  // namespace fovea::experiments
