#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

/// Runs this program anew with these words, in a process of its own whose output goes to `log`, and waits for
/// it. SIGINT and SIGTERM are handed on to it, each time that they come. Returns its exit code, 128 + the
/// number of a signal that ended it. Error when it cannot be started.
int run_child(const std::vector<std::string>& words, const std::filesystem::path& log);

}  // namespace fovea
