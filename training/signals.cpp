#include "training/signals.hpp"

#include <array>
#include <atomic>
#include <signal.h>
#include <string_view>
#include <unistd.h>

namespace fovea {
namespace {

std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler may only touch such");
constexpr std::array handled{SIGINT, SIGTERM};
std::array<struct sigaction, handled.size()> before;

// May only call what is safe in a handler: write and _exit.
void note(int number) {
  if (noted.exchange(number) != 0) _exit(128 + number);
  constexpr std::string_view text = "\nfovea: finishing this step, then saving; once more to exit at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Signals::Signals() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;  // a save in progress goes on
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < handled.size(); ++i) sigaction(handled[i], &action, &before[i]);
}

Signals::~Signals() {
  for (std::size_t i = 0; i < handled.size(); ++i) sigaction(handled[i], &before[i], nullptr);
}

int Signals::received() const { return noted; }

}  // namespace fovea
