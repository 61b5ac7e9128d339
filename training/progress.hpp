#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "training/sparkline.hpp"

namespace fovea {

/// Shows on stderr how far training is: a bar with the rate, the time left and the loss so far as a sparkline
/// when that is a terminal (in colour unless NO_COLOR is set), else a plain line now and then.
class Progress {
 public:
  Progress(std::uint64_t total, std::uint64_t done);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `status` is shown beside the bar: `loss 0.31  top1 87.5`. `loss` is that of the last step.
  void show(std::uint64_t done, double loss, const std::string& status);
  /// A line that stays.
  void line(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  std::string times(std::uint64_t done) const;
  void draw(std::uint64_t done, const std::string& status);
  void clear();

  std::uint64_t total_, first_;
  Clock::time_point start_, shown_;
  bool terminal_, colour_, drawn_ = false;
  Sparkline losses_;
};

/// How a terminal's line of `room` letters is shared beside a text of `text` letters: first the bar gets
/// shorter, then the sparkline is left out.
struct BarLayout {
  int bar;
  bool has_curve;
};
BarLayout bar_layout(std::size_t text, std::size_t room);

/// `1:05`, `2:00:00`
std::string clock_text(double seconds);

}  // namespace fovea
