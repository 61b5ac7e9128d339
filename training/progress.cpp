#include "training/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "training/text.hpp"

namespace fovea {
namespace {

constexpr auto bar_interval = std::chrono::milliseconds(100);
constexpr auto line_interval = std::chrono::seconds(15);
constexpr int widest_bar = 24, shortest_bar = 8;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || seconds > 359999) return "-:--";
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, seconds) + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

Progress::Progress(std::uint64_t total, std::uint64_t done)
    : total_(total), first_(done), start_(Clock::now()), shown_(start_) {
  const char* kind = std::getenv("TERM");
  terminal_ = ::isatty(STDERR_FILENO) == 1 && !(kind && std::string_view(kind) == "dumb");
  const char* plain = std::getenv("NO_COLOR");
  colour_ = terminal_ && !(plain && *plain);
}

Progress::~Progress() { clear(); }

// `3.1k steps/s, 0:12 left`
std::string Progress::times(std::uint64_t done) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done - first_) / seconds : 0;
  const double left = rate > 0 ? static_cast<double>(total_ - done) / rate : INFINITY;
  return fmt::format("{} steps/s, {} left", brief(rate, 3), clock_text(left));
}

void Progress::show(std::uint64_t done, double loss, const std::string& status) {
  losses_.add(loss);
  const auto now = Clock::now();
  if (terminal_) {
    if (drawn_ && now - shown_ < bar_interval) return;
    shown_ = now;
    draw(done, status);
  } else if (now - shown_ >= line_interval) {
    line(fmt::format("step {}/{}  {}  ({})", done, total_, status, times(done)));
  }
}

BarLayout bar_layout(std::size_t text, std::size_t room) {
  const std::size_t without_bar = text + 2 + Sparkline::letters + 2;
  for (const int bar : {widest_bar, shortest_bar})
    if (without_bar + static_cast<std::size_t>(bar) <= room) return {bar, true};
  return {text + widest_bar + 2 <= room ? widest_bar : shortest_bar, false};
}

void Progress::draw(std::uint64_t done, const std::string& status) {
  const double part = total_ ? static_cast<double>(done) / static_cast<double>(total_) : 1;
  std::string text = fmt::format("] {:3.0f}%  {}/{}  {}  {}", part * 100, done, total_, status, times(done));
  const std::size_t room = terminal_width();
  const std::string curve = shows_unicode() ? losses_.text() : "";
  const auto [width, has_curve] = bar_layout(text.size(), room);
  const auto taken = static_cast<std::size_t>(width) + 2;  // with the bracket, and a letter that stays free
  if (has_curve)
    text += "  " + curve;
  else if (text.size() + taken > room)
    text.resize(room > taken ? room - taken : 0);
  const int filled = static_cast<int>(part * width);
  const std::string bar = std::string(static_cast<std::size_t>(filled), '=') + (filled < width ? ">" : "");
  fmt::print(stderr, "\r\x1b[K[{}{:<{}}{}{}", colour_ ? "\x1b[32m" : "", bar, width, colour_ ? "\x1b[0m" : "",
             text);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

void Progress::line(const std::string& text) {
  clear();
  fmt::print(stderr, "{}\n", text);
  shown_ = Clock::now();
}

}  // namespace fovea
