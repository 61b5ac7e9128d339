#include <cmath>
#include <limits>

#include "core/attention/one_by_one.hpp"
#include "core/attention/tile_rows.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
using namespace streaming;
namespace {

using Cover = MaskView::Cover;

constexpr std::size_t tasks_wanted = 16;  // no more than memory and a few dozen threads ask for
constexpr SoftmaxRow nothing_seen{-std::numeric_limits<Real>::infinity(), 0, 0};

/// One task of forward: a chunk of queries over all keys.
class Forward {
 public:
  Forward(const Attention& attention, const Division& division, const Task& task,
          const AttentionResults& results)
      : attention_(attention),
        task_(task),
        results_(results),
        rows_(attention, division, task),
        score_(score_tile(attention, task, false)),
        columns_(tile_columns(attention.keys)),
        scores_(task.tile_rows() * columns_),
        normalised_(results.context || results.weights || results.entropy || results.rows) {
    if (!results.context) return;
    values_ = PackedRows(attention.value.row(task.group, task.head, 0), attention.keys, attention.value_width,
                         attention.value.row_step);
    width_ = padded(attention.value_width);
    context_.resize(task.tile_rows() * width_);
  }

  void run() {
    for (std::size_t begin = task_.begin; begin < task_.end; begin += query_tile) {
      rows_.take(begin);
      score_->take_queries(rows_.rows());
      std::fill(context_.begin(), context_.end(), Real(0));
      softmax_.assign(rows_.size(), nothing_seen);
      shrink_.resize(rows_.size());
      for (std::size_t tile = 0; tile < parts_of(attention_.keys, key_tile); ++tile) meet(tile);
      if (normalised_) finish();
    }
  }

 private:
  void meet(std::size_t tile) {
    const Cover cover = rows_.cover(tile);
    const Span keys = keys_of(tile, attention_.keys);
    const std::size_t n = keys.end - keys.begin;
    if (cover != Cover::none || results_.scores) score_->scores(tile, scores_.data());
    if (results_.scores) copy_to(results_.scores, keys);
    if (!normalised_) return;
    if (cover == Cover::none) {
      if (results_.weights) hide(keys);
      return;
    }
    rows_.prepare(tile, cover, scores_.data());
    if (results_.weights) copy_to(results_.weights, keys);
    kernels().online_softmax(rows_.size(), n, scores_.data(), columns_, results_.entropy != nullptr,
                             softmax_.data(), shrink_.data());
    if (results_.context) add_values(tile, keys);
  }

  void add_values(std::size_t tile, Span keys) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      Real* row = context_.data() + r * width_;
      if (shrink_[r] == 0) {
        std::fill_n(row, width_, Real(0));  // also where a value was infinite
      } else if (shrink_[r] != 1) {
        kernels().scale(width_, shrink_[r], row, row);
      }
    }
    rows_.drop(tile, scores_.data());
    const std::size_t n = keys.end - keys.begin;
    if (values_.finite(tile)) {
      kernels().tile_product(rows_.size(), width_, n, 1, scores_.data(), columns_, 1, values_.row(keys.begin),
                             values_.step(), true, context_.data(), width_);
    } else {
      add_selected(rows_.size(), width_, n, scores_.data(), columns_, 1, values_.row(keys.begin),
                   values_.step(), context_.data(), width_);
    }
  }

  void finish() {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const SoftmaxRow& seen = softmax_[r];
      const bool empty = seen.total == 0;
      const RowStatistics row = empty ? RowStatistics{0, 0, 0}
                                      : RowStatistics{std::isfinite(seen.max) ? seen.max : Real(0),
                                                      static_cast<Real>(1 / seen.total),
                                                      static_cast<Real>(seen.moment / seen.total)};
      const std::size_t number = rows_.number(r);
      if (results_.rows) results_.rows[number] = row;
      if (results_.entropy)
        results_.entropy[number] =
            empty ? Real(0) : static_cast<Real>(std::log(seen.total) - seen.moment / seen.total);
      if (results_.weights) {
        const AttentionRow weights{row.max, row.scale, 0, 0, 0};
        kernels().softmax_weights(1, attention_.keys, results_.weights + number * attention_.keys,
                                  attention_.keys, &weights);
      }
      if (!results_.context) continue;
      Real* to = results_.context.row(rows_.rows()[r].item, task_.head, rows_.rows()[r].i);
      kernels().scale(attention_.value_width, row.scale, context_.data() + r * width_, to);
    }
  }

  void copy_to(Real* matrix, Span keys) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      std::copy_n(scores_.data() + r * columns_, keys.end - keys.begin,
                  matrix + rows_.number(r) * attention_.keys + keys.begin);
    }
  }
  void hide(Span keys) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      std::fill_n(results_.weights + rows_.number(r) * attention_.keys + keys.begin, keys.end - keys.begin,
                  -std::numeric_limits<Real>::infinity());
    }
  }

  const Attention& attention_;
  const Task& task_;
  const AttentionResults& results_;
  TileRows rows_;
  std::unique_ptr<ScoreTile> score_;
  PackedRows values_;
  std::size_t width_ = 0;  // of the context's rows
  std::size_t columns_;    // of a tile
  Buffer scores_;          // and what becomes of them: exp(s - max), with dropout
  Buffer context_;
  std::vector<SoftmaxRow> softmax_;
  std::vector<Real> shrink_;
  bool normalised_;
};

}  // namespace

struct ForwardOneByOne::State : OneItem<Forward> {
  using OneItem::OneItem;
};

ForwardOneByOne::ForwardOneByOne(const Attention& attention, std::size_t item,
                                 const AttentionResults& results)
    : state_(std::make_unique<State>(attention, item, results)) {}
ForwardOneByOne::~ForwardOneByOne() = default;
void ForwardOneByOne::operator()(std::size_t query) { state_->run(query); }

void attend_forward(const Attention& attention, const AttentionResults& results) {
  const Division division(attention, tasks_wanted);
  parallel_for(task_count(attention, division), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const Task one = task(attention, division, n);
      Forward(attention, division, one, results).run();
    }
  });
}

}  // namespace fovea::inline FOVEA_REAL
