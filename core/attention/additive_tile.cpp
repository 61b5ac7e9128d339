#include <cmath>
#include <limits>

#include "core/attention/score_tile.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL::streaming {
namespace {

// Above this sum of two maxima 1 + e^2a e^2b may exceed additive_limit.
const Real careful_above = std::log(additive_limit) / 2 - Real(0.01);

/// The range of each hidden unit in a tile of projections; NaN is not seen.
struct Ranges {
  Buffer least, most;  // [hidden]
  bool finite = true;

  void clear(std::size_t hidden) {
    least.resize(hidden);
    most.resize(hidden);
    std::fill(least.begin(), least.end(), std::numeric_limits<Real>::infinity());
    std::fill(most.begin(), most.end(), -std::numeric_limits<Real>::infinity());
    finite = true;
  }
  /// Takes in a row of projections and writes its exponentials.
  void add(std::size_t hidden, const Real* x, Real* out) {
    kernels().additive_exponentials(hidden, x, out, least.data(), most.data());
    finite = finite && kernels().finite(hidden, x);
  }
};

/// factor · sum; 0 where the sum is 0, whatever the factor.
Real times(Real factor, Real sum) { return sum == 0 ? Real(0) : factor * sum; }

/// Whether a pair of a and b may be odd when one of them is `large` and the other `small`.
bool odd(Real large, Real small) {
  return (large > additive_high && small < -additive_far) || (large > additive_far && small < -additive_high);
}

/// s = v · tanh(a + b), with the exponentials of a and b (see core/kernels/level/additive.cpp).
class AdditiveTile final : public ScoreTile {
 public:
  AdditiveTile(const Attention& attention, const Task& task, bool backward)
      : attention_(attention),
        group_(task.group),
        head_(task.head),
        hidden_(attention.width),
        units_(padded(attention.width, 4)),
        columns_(tile_columns(attention.keys)),
        v_(units_),
        key_exponentials_(parts_of(attention.keys, key_tile) * units_ * columns_),
        key_ranges_(parts_of(attention.keys, key_tile)),
        queries_(task.tile_rows() * units_),
        query_exponentials_(queries_.size()),
        odd_units_(units_) {
    pack_row(v(), hidden_, v_.data(), units_);
    for (std::size_t tile = 0; tile < key_ranges_.size(); ++tile) take_keys(tile);
    if (!backward) return;
    const std::size_t lanes = kernels().additive_lanes;
    to_queries_.resize(queries_.size() * lanes);
    to_keys_.resize(key_exponentials_.size());
    to_v_.resize(units_ * lanes);
    std::fill(to_v_.begin(), to_v_.end(), Real(0));
    v_sums_.resize(hidden_);
    v_total_.assign(hidden_, 0);
    std::fill(to_keys_.begin(), to_keys_.end(), Real(0));
  }

  void take_queries(std::span<const QueryRow> rows) override {
    taken_ = rows;
    query_ranges_.clear(hidden_);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      Real* out = query_exponentials_.data() + r * units_;
      query_ranges_.add(hidden_, query(r), out);
      std::fill(out + hidden_, out + units_, Real(0));
      pack_row(query(r), hidden_, queries_.data() + r * units_, units_);
    }
    if (!to_queries_.empty()) {
      std::fill_n(to_queries_.begin(), rows.size() * units_ * kernels().additive_lanes, Real(0));
    }
  }

  void scores(std::size_t tile, Real* s) override {
    meet(tile);
    kernels().additive_scores(shape(), query_exponentials_.data(), at(key_exponentials_, tile), v_.data(),
                              careful_, some_odd_ ? &odd_ : nullptr, s);
  }

  void add_gradients(std::size_t tile, const Real* ds) override {
    ds_total_ += kernels().sum(taken_.size() * columns_, ds);
    kernels().additive_grad(shape(), query_exponentials_.data(), at(key_exponentials_, tile), ds, careful_,
                            some_odd_ ? &odd_ : nullptr, to_queries_.data(), at(to_keys_, tile),
                            to_v_.data());
  }

  void put_query_gradients(const Matrices<Real>& to) override {
    const std::size_t lanes = kernels().additive_lanes;
    for (std::size_t r = 0; to && r < taken_.size(); ++r) {
      Real* row = to.row(taken_[r].item, head_, taken_[r].i);
      kernels().additive_sums(hidden_, to_queries_.data() + r * units_ * lanes, row);
      for (std::size_t h = 0; h < hidden_; ++h) row[h] = times(4 * v_[h], row[h]);
    }
    rows_in_v_ += taken_.size();
    if (rows_in_v_ >= query_tile) close_v();
  }

  void put_key_gradients(Real* to, std::size_t step) override {
    for (std::size_t t = 0; t < attention_.keys; ++t) {
      const Real* sum = at(to_keys_, t / key_tile) + t % key_tile;
      for (std::size_t h = 0; h < hidden_; ++h) to[t * step + h] = times(4 * v_[h], sum[h * columns_]);
    }
  }

  // tanh = 1 - 2r
  void put_v_gradients(double* to) override {
    close_v();
    for (std::size_t h = 0; h < hidden_; ++h) to[h] = ds_total_ - 2 * v_total_[h];
  }

 private:
  const Real* v() const { return attention_.v + head_ * hidden_; }
  const Real* query(std::size_t r) const { return attention_.query.row(taken_[r].item, head_, taken_[r].i); }
  const Real* key(std::size_t t) const { return attention_.key.row(group_, head_, t); }
  Real* at(Buffer& panels, std::size_t tile) const { return panels.data() + tile * units_ * columns_; }
  AdditiveShape shape() const { return {taken_.size(), columns_, units_}; }

  // Goes on in double with what a tile's worth of queries gave v.
  void close_v() {
    kernels().additive_sums(hidden_, to_v_.data(), v_sums_.data());
    for (std::size_t h = 0; h < hidden_; ++h) v_total_[h] += v_sums_[h];
    std::fill(to_v_.begin(), to_v_.end(), Real(0));
    rows_in_v_ = 0;
  }

  void take_keys(std::size_t tile) {
    const Span keys = keys_of(tile, attention_.keys);
    Ranges& ranges = key_ranges_[tile];
    ranges.clear(hidden_);
    Buffer rows(columns_ * hidden_);
    for (std::size_t t = keys.begin; t < keys.end; ++t) {
      ranges.add(hidden_, key(t), rows.data() + (t - keys.begin) * hidden_);
    }
    std::fill(rows.begin() + (keys.end - keys.begin) * hidden_, rows.end(), Real(0));
    Real* panel = at(key_exponentials_, tile);
    kernels().transpose(columns_, hidden_, rows.data(), hidden_, panel, columns_);
    std::fill(panel + hidden_ * columns_, panel + units_ * columns_, Real(0));
  }

  // What is special about the present queries and a tile of keys.
  void meet(std::size_t tile) {
    const Ranges &a = query_ranges_, &b = key_ranges_[tile];
    careful_ = !a.finite || !b.finite;
    some_odd_ = false;
    if (!careful_ &&
        kernels().additive_plain(hidden_, a.least.data(), a.most.data(), b.most.data(), careful_above))
      return;
    for (std::size_t h = 0; h < hidden_; ++h) {
      careful_ = careful_ || !(a.most[h] + b.most[h] <= careful_above);
      odd_units_[h] = odd(a.most[h], b.least[h]) || odd(-a.least[h], -b.most[h]);
      some_odd_ = some_odd_ || odd_units_[h];
    }
    if (!some_odd_) return;
    const Span keys = keys_of(tile, attention_.keys);
    odd_keys_.assign(units_ * columns_, 0);
    kernels().transpose(keys.end - keys.begin, hidden_, key(keys.begin), attention_.key.row_step,
                        odd_keys_.data(), columns_);
    odd_ = {queries_.data(), odd_keys_.data(), odd_units_.data()};
  }

  const Attention& attention_;
  std::size_t group_, head_, hidden_, units_;  // units: hidden, filled up with those of v = 0
  std::size_t columns_;                        // of a tile
  Buffer v_;
  Buffer key_exponentials_;  // [tiles, units, columns]
  std::vector<Ranges> key_ranges_;
  Buffer queries_, query_exponentials_;  // [tile_rows, units]
  Ranges query_ranges_;
  Buffer to_queries_, to_keys_, to_v_;  // sums, by lane for queries and v; still without the factor 4v
  std::size_t rows_in_v_ = 0;           // queries that to_v_ has heard of
  Buffer v_sums_;
  std::vector<double> v_total_;
  double ds_total_ = 0;
  std::span<const QueryRow> taken_;
  // Of the present queries and the tile that was met last:
  bool careful_ = false, some_odd_ = false;
  AdditiveOdd odd_{};
  std::vector<unsigned char> odd_units_;
  std::vector<Real> odd_keys_;  // [units, columns]
};

}  // namespace

std::unique_ptr<ScoreTile> additive_tile(const Attention& attention, const Task& task, bool backward) {
  return std::make_unique<AdditiveTile>(attention, task, backward);
}

}  // namespace fovea::inline FOVEA_REAL::streaming
