#include "cli/child.hpp"

#include <algorithm>
#include <array>
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

constexpr std::array handed{SIGINT, SIGTERM, SIGHUP};
// What a signal's handler may look at.
std::array<std::atomic<pid_t>, Children::most> children{};
std::atomic<int> last_asked{0};
std::array<struct sigaction, handed.size()> before{};

void hand_on(int signal) {
  last_asked = signal;
  for (const auto& child : children)
    if (const pid_t to = child.load()) ::kill(to, signal);
}

void replace(pid_t from, pid_t to) {
  for (auto& child : children)
    if (pid_t expected = from; child.compare_exchange_strong(expected, to)) return;
}

// Signals wait while it is alive.
struct Held {
  sigset_t before;
  Held() {
    sigset_t all;
    ::sigemptyset(&all);
    for (const int signal : handed) ::sigaddset(&all, signal);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);
  }
  ~Held() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
};

}  // namespace

Children::Children() {
  last_asked = 0;
  struct sigaction action {};
  action.sa_handler = hand_on;
  for (std::size_t i = 0; i < handed.size(); ++i) ::sigaction(handed[i], &action, &before[i]);
}

Children::~Children() {
  for (const auto& [process, number] : running_) ::kill(process, SIGTERM);  // they save what they have
  while (!running_.empty()) {
    while (::waitpid(running_.back().first, nullptr, 0) < 0 && errno == EINTR) {
    }
    running_.pop_back();
  }
  for (auto& child : children) child = 0;
  for (std::size_t i = 0; i < handed.size(); ++i) ::sigaction(handed[i], &before[i], nullptr);
}

void Children::start(const std::vector<std::string>& words, const std::filesystem::path& log,
                     std::size_t number) {
  if (running_.size() == most) throw Error("too many trainings at once");
  std::vector<std::string> owned{"fovea"};
  owned.insert(owned.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : owned) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  if (!log.empty()) {
    ::posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    ::posix_spawn_file_actions_adddup2(&files, 1, 2);
  }
  // In a group of its own: a terminal's Ctrl-C would else come twice, here and by us, and twice means at
  // once.
  const Held held;  // from here on until there is someone to hand signals on to
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setsigmask(&attributes, &held.before);
  pid_t started = 0;
  const int error = ::posix_spawn(&started, "/proc/self/exe", &files, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (error) throw Error(std::string("cannot start a training: ") + std::strerror(error));
  running_.emplace_back(started, number);
  replace(0, started);
  if (const int early = last_asked.load()) ::kill(started, early);  // it came before there was anyone to tell
}

Ended Children::wait() {
  while (true) {
    // It is not reaped before it is forgotten: its number could be another process's when a signal comes.
    siginfo_t ended{};
    if (::waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) != 0) {
      if (errno == EINTR) continue;
      throw Error(std::string("cannot wait for a training: ") + std::strerror(errno));
    }
    replace(ended.si_pid, 0);
    int status = 0;
    ::waitpid(ended.si_pid, &status, 0);
    const auto found = std::find_if(running_.begin(), running_.end(),
                                    [&](const auto& one) { return one.first == ended.si_pid; });
    if (found == running_.end()) continue;
    const std::size_t number = found->second;
    running_.erase(found);
    return {number, WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
  }
}

int Children::asked() const { return last_asked.load(); }

}  // namespace fovea
