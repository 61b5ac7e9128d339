#include "cli/child.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/check.hpp"

namespace fovea {
namespace {

std::atomic<pid_t> child{0};
std::atomic<int> asked{0};

void hand_on(int signal) {
  asked = signal;
  if (const pid_t to = child.load()) ::kill(to, signal);
}

// While it is alive, signals go to the child.
class Handing {
 public:
  Handing() {
    asked = 0;
    struct sigaction action {};
    action.sa_handler = hand_on;
    for (int i = 0; i < 3; ++i) ::sigaction(numbers_[i], &action, &before_[i]);
  }
  ~Handing() {
    child = 0;
    for (int i = 0; i < 3; ++i) ::sigaction(numbers_[i], &before_[i], nullptr);
  }

 private:
  static constexpr int numbers_[3] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[3]{};
};

}  // namespace

Ended run_child(const std::vector<std::string>& words, const std::filesystem::path& log) {
  std::vector<std::string> owned{"fovea"};
  owned.insert(owned.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : owned) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::posix_spawn_file_actions_adddup2(&files, 1, 2);
  // In a group of its own: a terminal's Ctrl-C would else come twice, here and by us, and twice means at
  // once.
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

  const Handing handing;
  pid_t started = 0;
  const int error = ::posix_spawn(&started, "/proc/self/exe", &files, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (error) throw Error(std::string("cannot start a training: ") + std::strerror(error));
  child = started;
  if (const int early = asked.load()) ::kill(started, early);  // it came before there was anyone to tell
  int status = 0;
  while (::waitpid(started, &status, 0) < 0)
    if (errno != EINTR) throw Error(std::string("cannot wait for a training: ") + std::strerror(errno));
  child = 0;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          asked.load()};
}

}  // namespace fovea
