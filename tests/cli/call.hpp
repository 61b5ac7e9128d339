#pragma once

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "training/folder.hpp"

// Runs the program as a shell would, in a folder of its own.

namespace fovea {

struct Result {
  int code = -1;
  std::string out, err;
  std::size_t peak_bytes = 0;  // of memory that was resident

  /// True for an error as a person wants it: one line, with the program's name in front.
  bool one_line() const { return err.starts_with("fovea: ") && err.find('\n') == err.size() - 1; }
};

struct Shell {
  TemporaryFolder folder;
  std::map<std::string, std::string> environment = {};  // beside this process's own

  /// Starts the program with these words; its streams go to files. `out` may name another target.
  pid_t start(const std::vector<std::string>& words, const std::string& input = "",
              const std::string& out = "") const {
    write(folder / "stdin", input);
    const pid_t child = ::fork();
    if (child != 0) return child;
    const auto redirect = [](const std::string& path, int flags, int number) {
      ::dup2(::open(path.c_str(), flags, 0666), number);
    };
    if (::chdir(folder.path.c_str()) != 0) ::_exit(127);
    redirect("stdin", O_RDONLY, 0);
    redirect(out.empty() ? "stdout" : out, O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect("stderr", O_WRONLY | O_CREAT | O_TRUNC, 2);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> arguments{const_cast<char*>("fovea")};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(FOVEA_TEST_PROGRAM, arguments.data());
    ::_exit(127);
  }

  Result finish(pid_t child) const {
    int status = 0;
    rusage used{};
    ::wait4(child, &status, 0, &used);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content(folder / "stdout"),
            content(folder / "stderr"), static_cast<std::size_t>(used.ru_maxrss) * 1024};
  }

  Result call(const std::vector<std::string>& words, const std::string& input = "",
              const std::string& out = "") const {
    return finish(start(words, input, out));
  }
};

/// Until a file is there, ten seconds at most.
inline bool wait_for(const std::filesystem::path& path) {
  for (int i = 0; i < 2000 && !std::filesystem::exists(path); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return std::filesystem::exists(path);
}

}  // namespace fovea
