#include <cmath>
#include <limits>

#include "core/attention/one_by_one.hpp"
#include "core/attention/shared_gradient.hpp"
#include "core/attention/tile_rows.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
using namespace streaming;
namespace {

using Cover = MaskView::Cover;

// Each task sums its own gradient of the keys and values, so more tasks take more memory.
constexpr std::size_t tasks_wanted = 4;
constexpr Real masked = -std::numeric_limits<Real>::infinity();

/// One task of backward.
class Backward {
 public:
  Backward(const Attention& attention, const Division& division, const Task& task,
           const AttentionCotangents& cotangents, const AttentionGradients& gradients)
      : attention_(attention),
        task_(task),
        cotangents_(cotangents),
        gradients_(gradients),
        rows_(attention, division, task),
        score_(score_tile(attention, task, true)),
        columns_(tile_columns(attention.keys)),
        weights_(task.tile_rows() * columns_),
        ds_(weights_.size()),
        // Otherwise the scores' own cotangents are all there is.
        normalised_(cotangents.context_cotangent || cotangents.weights_cotangent || cotangents.entropy) {
    if (cotangents.entropy) scores_.resize(weights_.size());
    if (!cotangents.context_cotangent) return;
    width_ = padded(attention.value_width);
    values_ = turned(attention.value.row(task.group, task.head, 0), attention.keys, attention.value_width,
                     attention.value.row_step);
    dcontext_.resize(task.tile_rows() * width_);
    if (!gradients.value) return;
    to_values_.resize(attention.keys * width_);
    std::fill(to_values_.begin(), to_values_.end(), Real(0));
  }

  void run() {
    for (std::size_t begin = task_.begin; begin < task_.end; begin += query_tile) {
      rows_.take(begin);
      score_->take_queries(rows_.rows());
      if (normalised_) take_rows();
      for (std::size_t tile = 0; tile < parts_of(attention_.keys, key_tile); ++tile) meet(tile);
      score_->put_query_gradients(gradients_.query);
    }
  }

  void put_key_gradients(Real* to, std::size_t step) { score_->put_key_gradients(to, step); }
  void put_value_gradients(Real* to, std::size_t step) {
    for (std::size_t t = 0; t < attention_.keys; ++t) {
      if (to_values_.empty()) {
        std::fill_n(to + t * step, attention_.value_width, Real(0));
      } else {
        std::copy_n(to_values_.data() + t * width_, attention_.value_width, to + t * step);
      }
    }
  }
  void put_v_gradients(double* to) { score_->put_v_gradients(to); }
  /// All of those, where no other task has a part in them.
  void put_gradients(double* v) {
    const auto &key = gradients_.key, &value = gradients_.value;
    if (key) put_key_gradients(key.row(task_.group, task_.head, 0), key.row_step);
    if (value) put_value_gradients(value.row(task_.group, task_.head, 0), value.row_step);
    if (v) put_v_gradients(v);
  }

 private:
  void take_rows() {
    statistics_.resize(rows_.size());
    active_.resize(rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const RowStatistics& row = cotangents_.rows[rows_.number(r)];
      double inner = 0;
      bool active = false;
      if (cotangents_.context_cotangent) {
        const auto [item, i] = rows_.rows()[r];
        const Real* y = cotangents_.context.row(item, task_.head, i);
        const Real* dy = cotangents_.context_cotangent.row(item, task_.head, i);
        pack_row(dy, attention_.value_width, dcontext_.data() + r * width_, width_);
        inner += kernels().inner_product(attention_.value_width, y, dy, active);
      }
      if (cotangents_.weights_cotangent) {
        const std::size_t first = rows_.number(r) * attention_.keys;
        inner += kernels().inner_product(attention_.keys, cotangents_.weights + first,
                                         cotangents_.weights_cotangent + first, active);
      }
      const Real of_entropy = cotangents_.entropy ? cotangents_.entropy[rows_.number(r)] : Real(0);
      active_[r] = (active || of_entropy != 0) && row.scale != 0;
      statistics_[r] = {row.max, row.scale, row.mean, static_cast<Real>(inner), of_entropy};
    }
    finite_ = kernels().finite(rows_.size() * width_, dcontext_.data());
  }

  void meet(std::size_t tile) {
    const Cover cover = normalised_ ? rows_.cover(tile) : Cover::none;
    const Span keys = keys_of(tile, attention_.keys);
    const std::size_t n = keys.end - keys.begin;
    if (cover == Cover::none && !cotangents_.scores) {
      if (gradients_.bias) put_bias(keys, false);
      return;
    }
    score_->scores(tile, weights_.data());
    if (cover == Cover::none) {
      std::fill(ds_.begin(), ds_.end(), Real(0));
    } else {
      through_softmax(tile, cover, keys);
    }
    if (gradients_.bias) put_bias(keys, true);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      Real* row = ds_.data() + r * columns_;
      if (cotangents_.scores)
        kernels().add_into(n, cotangents_.scores + rows_.number(r) * attention_.keys + keys.begin, row);
      std::fill(row + n, row + columns_, Real(0));
    }
    score_->add_gradients(tile, ds_.data());
  }

  /// From the cotangents of context, weights and entropy to that of the scores, and to the values'.
  void through_softmax(std::size_t tile, Cover cover, Span keys) {
    const std::size_t m = rows_.size(), n = keys.end - keys.begin;
    rows_.prepare(tile, cover, weights_.data());
    for (std::size_t r = 0; r < m; ++r) {
      if (!active_[r]) std::fill_n(weights_.data() + r * columns_, n, masked);
    }
    if (cotangents_.entropy) std::copy_n(weights_.data(), m * columns_, scores_.data());
    kernels().softmax_weights(m, n, weights_.data(), columns_, statistics_.data());

    const bool context = static_cast<bool>(cotangents_.context_cotangent);
    if (context) {
      kernels().tile_product(m, columns_, attention_.value_width, 1, dcontext_.data(), width_, 1,
                             values_.data() + tile * attention_.value_width * columns_, columns_, false,
                             ds_.data(), columns_);
      rows_.drop(tile, ds_.data());
    } else {
      std::fill(ds_.begin(), ds_.end(), Real(0));
    }
    for (std::size_t r = 0; cotangents_.weights_cotangent && r < m; ++r) {
      kernels().add_into(n, cotangents_.weights_cotangent + rows_.number(r) * attention_.keys + keys.begin,
                         ds_.data() + r * columns_);
    }
    kernels().attention_grad(m, n, weights_.data(), cotangents_.entropy ? scores_.data() : nullptr,
                             ds_.data(), columns_, statistics_.data());
    if (!to_values_.empty()) add_value_gradients(tile, keys);
  }

  void add_value_gradients(std::size_t tile, Span keys) {
    rows_.drop(tile, weights_.data());
    Real* to = to_values_.data() + keys.begin * width_;
    if (finite_) {
      kernels().tile_product(keys.end - keys.begin, width_, rows_.size(), 1, weights_.data(), 1, columns_,
                             dcontext_.data(), width_, true, to, width_);
    } else {
      add_selected(keys.end - keys.begin, width_, rows_.size(), weights_.data(), 1, columns_,
                   dcontext_.data(), width_, to, width_);
    }
  }

  void put_bias(Span keys, bool any) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      Real* to = gradients_.bias + rows_.number(r) * attention_.keys + keys.begin;
      if (any) {
        std::copy_n(ds_.data() + r * columns_, keys.end - keys.begin, to);
      } else {
        std::fill_n(to, keys.end - keys.begin, Real(0));
      }
    }
  }

  const Attention& attention_;
  const Task& task_;
  const AttentionCotangents& cotangents_;
  const AttentionGradients& gradients_;
  TileRows rows_;
  std::unique_ptr<ScoreTile> score_;
  std::size_t width_ = 0;         // of the context's rows
  std::size_t columns_;           // of a tile
  Buffer values_;                 // turned
  Buffer weights_, scores_, ds_;  // of a tile
  Buffer dcontext_;               // of the present queries
  Buffer to_values_;              // [keys, width]; empty where they get nothing
  std::vector<AttentionRow> statistics_;
  std::vector<unsigned char> active_;  // rows that some cotangent looks at
  bool finite_ = true;                 // the context's cotangents
  bool normalised_;
};

}  // namespace

struct BackwardOneByOne::State : OneItem<Backward> {
  using OneItem::OneItem;
};

BackwardOneByOne::BackwardOneByOne(const Attention& attention, std::size_t item,
                                   const AttentionCotangents& cotangents, const AttentionGradients& gradients)
    : state_(std::make_unique<State>(attention, item, cotangents, gradients)) {}
BackwardOneByOne::~BackwardOneByOne() = default;
void BackwardOneByOne::operator()(std::size_t query) { state_->run(query); }
void BackwardOneByOne::finish(double* v) { state_->pass.put_gradients(v); }

void attend_backward(const Attention& attention, const AttentionCotangents& cotangents,
                     const AttentionGradients& gradients) {
  const Division division(attention, tasks_wanted);
  const std::size_t count = task_count(attention, division);
  SharedGradient keys(attention, division, gradients.key, attention.width);
  SharedGradient values(attention, division, gradients.value, attention.value_width);
  const std::size_t width = attention.width;
  std::vector<double> v(gradients.v ? count * width : 0);
  parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const Task one = task(attention, division, n);
      Backward backward(attention, division, one, cotangents, gradients);
      backward.run();
      if (keys) {
        const auto place = keys.place(one, n);
        backward.put_key_gradients(place.data, place.step);
      }
      if (values) {
        const auto place = values.place(one, n);
        backward.put_value_gradients(place.data, place.step);
      }
      if (gradients.v) backward.put_v_gradients(v.data() + n * width);
    }
  });
  keys.sum();
  values.sum();
  for (std::size_t n = 0; gradients.v && n < attention.heads * width; ++n) {
    double total = 0;
    for (std::size_t at = 0; at < count; ++at) {
      if (at / division.chunks % attention.heads == n / width) total += v[at * width + n % width];
    }
    gradients.v[n] = static_cast<Real>(total);
  }
}

}  // namespace fovea::inline FOVEA_REAL
