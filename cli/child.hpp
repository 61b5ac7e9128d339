#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

/// How a process ended.
struct Ended {
  int code = 0;       // its exit code; 0 where a signal ended it
  int killed_by = 0;  // the number of that signal
  int asked = 0;      // the last signal that came to us meanwhile
};

/// Runs this program anew with these words, in a process of its own whose output goes to `log`, and waits for
/// it. SIGINT, SIGTERM and SIGHUP are handed on to it, each time that they come. Error when it cannot be
/// started.
Ended run_child(const std::vector<std::string>& words, const std::filesystem::path& log);

}  // namespace fovea
