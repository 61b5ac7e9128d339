#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fovea {

/// How a process ended.
struct Ended {
  std::size_t number = 0;  // which one, by whom it was started
  int code = 0;            // its exit code; 0 where a signal ended it
  int killed_by = 0;       // the number of that signal
};

/// Processes of this program, side by side. While it is alive, SIGINT, SIGTERM and SIGHUP are handed on to
/// all that run, each time that they come; so there can be one of these alone. Those that still run when it
/// goes are ended.
class Children {
 public:
  static constexpr std::size_t most = 64;  // at once

  Children();
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Runs this program anew with these words; its output goes to `log`, or, where that is empty, where ours
  /// goes. Error when it cannot be started.
  void start(const std::vector<std::string>& words, const std::filesystem::path& log, std::size_t number);
  std::size_t running() const { return running_.size(); }
  /// Waits for one of them to end.
  Ended wait();
  /// The last signal that came meanwhile; 0 for none.
  int asked() const;

 private:
  std::vector<std::pair<int, std::size_t>> running_;  // process, number
};

}  // namespace fovea
