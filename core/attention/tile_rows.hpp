#pragma once

#include "core/attention/score_tile.hpp"

namespace fovea::inline FOVEA_REAL::streaming {

/// What forward and backward do alike with the queries of one tile: find out which keys they may see, add the
/// bias, hide what is masked, draw the dropout.
class TileRows {
 public:
  TileRows(const Attention& attention, const Division& division, const Task& task);

  /// The queries from row `begin` on, as many as a tile holds.
  void take(std::size_t begin);
  const std::vector<QueryRow>& rows() const { return rows_; }
  std::size_t size() const { return rows_.size(); }

  MaskView::Cover cover(std::size_t tile) const;
  /// Adds the bias to s and makes what is masked -inf.
  void prepare(std::size_t tile, MaskView::Cover cover, Real* s);
  /// x *= 0 or 1 / (1 - dropout), for each weight of the tile.
  void drop(std::size_t tile, Real* x);
  /// Number of a query's row in [items, heads, queries].
  std::size_t number(std::size_t r) const {
    return (rows_[r].item * attention_.heads + task_.head) * attention_.queries + rows_[r].i;
  }

 private:
  /// The mask's item that stands for one here.
  std::size_t masked(std::size_t item) const {
    return attention_.mask_heads == 1 ? item : item * attention_.mask_heads + task_.head;
  }
  void draw(std::size_t tile);

  const Attention& attention_;
  const Division& division_;
  const Task& task_;
  std::vector<QueryRow> rows_;
  std::size_t columns_;               // of a tile
  Buffer factors_;                    // of dropout, [queries, columns]
  std::optional<std::size_t> drawn_;  // the tile that they belong to
  std::vector<unsigned char> keep_;
};

}  // namespace fovea::inline FOVEA_REAL::streaming
