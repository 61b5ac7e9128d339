#include "core/attention/linear.hpp"

#include <cmath>
#include <limits>

#include "core/attention/linear_chunk.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
using namespace running;
namespace {

/// One head of one item.
class Forward {
 public:
  Forward(const LinearAttention& attention, std::size_t item, std::size_t head, const Matrices<Real>& context,
          Real* totals)
      : attention_(attention),
        item_(item),
        head_(head),
        context_(context),
        totals_(totals + (item * attention.heads + head) * attention.queries),
        mask_(attention.mask->items[item]),
        scales_(attention, item, head, mask_.keys),
        query_(chunk, attention.width),
        key_(chunk, attention.width),
        turned_key_(attention.width, std::min(chunk, mask_.keys)),
        value_(chunk, attention.value_width),
        weights_(chunk, turned_key_.width()),
        result_(chunk, attention.value_width),
        sum_(attention.width, attention.value_width),
        key_sum_(1, attention.width),
        chunk_sum_(1, attention.width) {}

  void run() {
    for (std::size_t i = 0; i < attention_.queries; ++i) {
      if (mask_.seen(i) == 0) put(i, 0, nullptr);
    }
    for (const Block& block : blocks_of(mask_)) {
      if (block.key_count() > 0) {
        key_.take(attention_.key, item_, head_, block.keys);
        value_.take(attention_.value, item_, head_, block.keys);
      }
      if (block.query_count() > 0) answer(block);
      if (block.key_count() > 0) add(block.keys);
    }
  }

 private:
  void answer(const Block& block) {
    const std::size_t rows = block.query_count();
    query_.take(attention_.query, item_, head_, block.queries);
    result_.resize(rows);
    product({query_}, sum_, false, result_);
    std::array<double, chunk> totals{};
    for (std::size_t r = 0; r < rows; ++r) {
      bool any = false;
      totals[r] = kernels().inner_product(attention_.width, query_.row(r), key_sum_.row(0), any);
    }
    for (std::size_t r = 0; scales_ && r < rows; ++r) {
      // Relative to the row's own reference. Where there has been no key yet, sums are 0 and any factor does.
      const std::size_t seen = mask_.seen(block.queries.begin + r);
      const Real factor = block.keys.begin > 0 ? std::exp(reference_ - scales_.most(seen)) : Real(1);
      kernels().scale(result_.step(), factor, result_.row(r), result_.row(r));
      totals[r] *= static_cast<double>(factor);
    }
    if (block.key_count() > 0) {
      turned_key_.turn(key_);
      weights_.resize(rows);
      product({query_}, turned_key_, false, weights_);
      keep_seen(block, mask_, scales_, weights_);
      for (std::size_t r = 0; r < rows; ++r) totals[r] += kernels().sum(weights_.step(), weights_.row(r));
      add_selected({weights_}, value_, result_);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      put(block.queries.begin + r, static_cast<Real>(totals[r]), result_.row(r));
    }
  }

  void put(std::size_t i, Real total, const Real* sums) {
    Real* to = context_.row(item_, head_, i);
    // NaN goes on.
    const bool nothing = std::abs(total) < std::numeric_limits<Real>::min();
    totals_[i] = nothing ? Real(0) : total;
    if (nothing) {
      std::fill_n(to, attention_.value_width, Real(0));
    } else {
      kernels().scale(attention_.value_width, 1 / total, sums, to);
    }
  }

  void add(const Span& keys) {
    if (scales_) {
      const Real reference = scales_.most(keys.end);
      if (keys.begin > 0) {
        const Real shrink = std::exp(reference_ - reference);
        sum_.scale(shrink);
        key_sum_.scale(shrink);
      }
      scales_.apply(keys, reference, key_);
      reference_ = reference;
    }
    product({key_, turned}, value_, true, sum_);
    kernels().sum_columns(key_.count(), attention_.width, key_.row(0), key_.step(), chunk_sum_.row(0));
    kernels().add_into(attention_.width, chunk_sum_.row(0), key_sum_.row(0));
  }

  const LinearAttention& attention_;
  std::size_t item_, head_;
  Matrices<Real> context_;
  Real* totals_;
  PlainMask::Item mask_;
  Scales scales_;
  Rows query_, key_, turned_key_, value_;  // of a block
  Rows weights_, result_;                  // of a block's queries
  Rows sum_, key_sum_, chunk_sum_;         // S and z over the keys so far, relative to `reference_`
  Real reference_ = 0;
};

}  // namespace

void linear_forward(const LinearAttention& attention, const Matrices<Real>& context, Real* totals) {
  parallel_for(attention.items * attention.heads, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      Forward(attention, n / attention.heads, n % attention.heads, context, totals).run();
    }
  });
}

}  // namespace fovea::inline FOVEA_REAL
