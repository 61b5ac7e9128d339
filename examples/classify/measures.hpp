#pragma once

#include <cstddef>
#include <vector>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// The class of a text whose label training did not have.
inline constexpr std::size_t no_class = static_cast<std::size_t>(-1);

/// Who is taken for whom: counts of texts by their class and the one that was guessed.
class Confusion {
 public:
  explicit Confusion(std::size_t classes)
      : classes_(classes), counts_(classes * classes), strange_(classes) {}

  /// `truth` may be `no_class`: a guess that cannot be right.
  void add(std::size_t truth, std::size_t guess);

  std::size_t classes() const { return classes_; }
  std::size_t at(std::size_t truth, std::size_t guess) const { return counts_[truth * classes_ + guess]; }
  /// Texts of a class.
  std::size_t size(std::size_t truth) const;

  /// Per cent of texts that were guessed right; 0 of none.
  double accuracy() const;
  /// 2 · right / (texts of the class + guesses of it), in per cent; 0 where there is neither.
  double f1(std::size_t label) const;
  /// The mean f1 of the classes that have a text or a guess, in per cent.
  double macro_f1() const;

  /// Classes that have texts, those with most first (ties by number), at most so many.
  std::vector<std::size_t> largest(std::size_t most) const;

 private:
  std::size_t guesses(std::size_t label) const;
  std::size_t classes_;
  std::vector<std::size_t> counts_;   // [truth, guess]
  std::vector<std::size_t> strange_;  // guesses for texts of no class
};

}  // namespace fovea::inline FOVEA_REAL::classify
