#pragma once

#include <memory>

#include "core/attention/stream.hpp"

// The attention of one item, of one head, whose queries become known one after the other: what depends on
// its keys alone is made once for all of them.

namespace fovea::inline FOVEA_REAL::streaming {

/// All that is handed over must live as long; keys and values are the item's own.
class ForwardOneByOne {
 public:
  ForwardOneByOne(const Attention& attention, std::size_t item, const AttentionResults& results);
  ForwardOneByOne(ForwardOneByOne&&) noexcept;
  ~ForwardOneByOne();

  /// Writes the query's results.
  void operator()(std::size_t query);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class BackwardOneByOne {
 public:
  BackwardOneByOne(const Attention& attention, std::size_t item, const AttentionCotangents& cotangents,
                   const AttentionGradients& gradients);
  BackwardOneByOne(BackwardOneByOne&&) noexcept;
  ~BackwardOneByOne();

  /// Writes the query's gradient.
  void operator()(std::size_t query);
  /// Writes what the queries so far give to keys and values, and to v [width] unless that is null.
  void finish(double* v);

 private:
  struct State;
  std::unique_ptr<State> state_;
  const AttentionGradients& gradients_;
};

}  // namespace fovea::inline FOVEA_REAL::streaming
