#include "core/attention/score_tile.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL::streaming {
namespace {

/// s = scale · q · k: a product forward, two products backward.
class DotTile final : public ScoreTile {
 public:
  DotTile(const Attention& attention, const Task& task, bool backward)
      : attention_(attention),
        head_(task.head),
        step_(padded(attention.width)),
        columns_(tile_columns(attention.keys)),
        keys_(turned(attention.key.row(task.group, task.head, 0), attention.keys, attention.width,
                     attention.key.row_step)),
        queries_(task.tile_rows() * step_) {
    if (!backward) return;
    rows_ = PackedRows(attention.key.row(task.group, task.head, 0), attention.keys, attention.width,
                       attention.key.row_step);
    to_queries_.resize(queries_.size());
    to_keys_.resize(attention.keys * step_);
    std::fill(to_keys_.begin(), to_keys_.end(), Real(0));
  }

  void take_queries(std::span<const QueryRow> rows) override {
    taken_ = rows;
    finite_ = true;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      pack_row(attention_.query.row(rows[r].item, head_, rows[r].i), attention_.width,
               queries_.data() + r * step_, step_);
    }
    if (to_queries_.empty()) return;
    finite_ = kernels().finite(rows.size() * step_, queries_.data());
    std::fill_n(to_queries_.begin(), rows.size() * step_, Real(0));
  }

  void scores(std::size_t tile, Real* s) override {
    kernels().tile_product(taken_.size(), columns_, attention_.width, attention_.scale, queries_.data(),
                           step_, 1, keys_.data() + tile * attention_.width * columns_, columns_, false, s,
                           columns_);
  }

  void add_gradients(std::size_t tile, const Real* ds) override {
    const Span keys = keys_of(tile, attention_.keys);
    add(rows_.finite(tile), taken_.size(), keys.end - keys.begin, ds, columns_, 1, rows_.row(keys.begin),
        rows_.step(), to_queries_.data());
    add(finite_, keys.end - keys.begin, taken_.size(), ds, 1, columns_, queries_.data(), step_,
        to_keys_.data() + keys.begin * step_);
  }

  void put_query_gradients(const Matrices<Real>& to) override {
    for (std::size_t r = 0; to && r < taken_.size(); ++r) {
      put(to_queries_.data() + r * step_, to.row(taken_[r].item, head_, taken_[r].i));
    }
  }

  void put_key_gradients(Real* to, std::size_t step) override {
    for (std::size_t t = 0; t < attention_.keys; ++t) put(to_keys_.data() + t * step_, to + t * step);
  }

 private:
  void add(bool all_finite, std::size_t m, std::size_t k, const Real* ds, std::size_t ds_row,
           std::size_t ds_step, const Real* other, std::size_t other_step, Real* to) {
    if (all_finite) {
      kernels().tile_product(m, step_, k, 1, ds, ds_row, ds_step, other, other_step, true, to, step_);
    } else {
      add_selected(m, step_, k, ds, ds_row, ds_step, other, other_step, to, step_);
    }
  }
  // A sum of 0 gives 0, whatever the scale.
  void put(const Real* sum, Real* to) const {
    kernels().mul_or_zero(attention_.width, sum, 1, &attention_.scale, 0, to);
  }

  const Attention& attention_;
  std::size_t head_, step_, columns_;  // between rows of queries, and of a tile of scores
  Buffer keys_;                        // turned
  Buffer queries_;
  PackedRows rows_;  // the keys as they are
  Buffer to_queries_, to_keys_;
  std::span<const QueryRow> taken_;
  bool finite_ = true;  // the queries
};

}  // namespace

std::unique_ptr<ScoreTile> dot_tile(const Attention& attention, const Task& task, bool backward) {
  return std::make_unique<DotTile>(attention, task, backward);
}

}  // namespace fovea::inline FOVEA_REAL::streaming
