#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

/// A curve of one line of letters, `█▆▄▃▂▂▁`: of any number of values in fixed memory. Each letter is the
/// mean of equally many values; when there is no more room, two letters become one.
class Sparkline {
 public:
  static constexpr std::size_t letters = 16;

  /// One that is not finite is left out.
  void add(double value);
  /// At most `letters` letters; empty before the second value. The highest mean is █, the lowest ▁.
  std::string text() const;

 private:
  struct Mean {
    double sum = 0;
    std::uint64_t count = 0;
  };
  std::vector<Mean> means_;
  std::uint64_t values_each_ = 1;
};

/// Whether the environment says that a terminal shows such letters.
bool shows_unicode();

}  // namespace fovea
