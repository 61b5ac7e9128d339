#pragma once

#include <memory>

#include "core/attention/stream.hpp"

// The attention of one item, of one head, whose queries become known one after the other: what depends on
// its keys alone is made once for all of them.

namespace fovea::inline FOVEA_REAL::streaming {

/// Keys and values are the item's own, the step from item to item is not 0. All that is handed over must live
/// as long. Of a query nothing is read before its turn.
class ForwardOneByOne {
 public:
  ForwardOneByOne(const Attention& attention, std::size_t item, const AttentionResults& results);
  ~ForwardOneByOne();

  /// Writes the query's results.
  void operator()(std::size_t query);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same of gradients; queries may come in any order. `gradients.v` is not written, for it belongs to all
/// items.
class BackwardOneByOne {
 public:
  BackwardOneByOne(const Attention& attention, std::size_t item, const AttentionCotangents& cotangents,
                   const AttentionGradients& gradients);
  ~BackwardOneByOne();

  /// Writes the query's gradient.
  void operator()(std::size_t query);
  /// Once all queries have had their turn: writes what they give to keys and values, and to v [width] unless
  /// that is null.
  void finish(double* v);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fovea::inline FOVEA_REAL::streaming
