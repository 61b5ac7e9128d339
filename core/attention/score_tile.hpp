#pragma once

#include <memory>
#include <span>

#include "core/attention/packed.hpp"

namespace fovea::inline FOVEA_REAL::streaming {

/// A score as the driver sees it: for the keys of one group and head, tile by tile. This is all in which one
/// kind of attention differs from another. Each task has its own.
class ScoreTile {
 public:
  virtual ~ScoreTile() = default;

  /// The queries that what follows is about; at most the task's tile_rows.
  virtual void take_queries(std::span<const QueryRow> rows) = 0;
  /// s [queries, tile_columns]: the score of each query and each key of a tile. A score depends on its own
  /// query and key alone, to the last bit. What stands behind the last key means nothing.
  virtual void scores(std::size_t tile, Real* s) = 0;

  /// Adds what ds [queries, tile_columns] gives to queries and keys. Of the tile whose `scores` were asked
  /// for last. A ds of 0 leaves a pair out, whatever it holds. Behind the last key ds is 0.
  virtual void add_gradients(std::size_t tile, const Real* ds) = 0;
  /// Closes with the present queries; writes their gradients unless `to` is empty.
  virtual void put_query_gradients(const Matrices<Real>& to) = 0;
  /// Writes those of the keys, [keys, width] with `step` from row to row.
  virtual void put_key_gradients(Real* to, std::size_t step) = 0;
  /// Writes those of additive's v [width].
  virtual void put_v_gradients(double*) {}
};

/// `backward`: whether gradients will be asked for.
std::unique_ptr<ScoreTile> score_tile(const Attention& attention, const Task& task, bool backward);

std::unique_ptr<ScoreTile> dot_tile(const Attention& attention, const Task& task, bool backward);
std::unique_ptr<ScoreTile> additive_tile(const Attention& attention, const Task& task, bool backward);

}  // namespace fovea::inline FOVEA_REAL::streaming
