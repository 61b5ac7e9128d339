#include <cmath>

#include "core/attention/linear.hpp"
#include "core/attention/linear_chunk.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
using namespace running;
namespace {

// With y_i = N_i / t_i the context of row i and t_i its total, g_i = dy_i / t_i and h_i = -g_i · y_i, the
// weight a_ij = q_i · k_j has the cotangent g_i · v_j + h_i, and
//
//     dq_i = T_i g_i + h_i z_i       T_i = Σ_j k_j v_jᵀ, z_i = Σ_j k_j over the keys that i sees
//     dk_j = R_j v_j + r_j           R_j = Σ_i q_i g_iᵀ, r_j = Σ_i h_i q_i over the queries that see j
//     dv_j = R_jᵀ k_j                dc_j = k_j · dk_j
//
// where what belongs to key j in row i counts e^(c_j - m_i) times, m_i being the largest c that i sees.

/// One head of one item.
class Backward {
 public:
  Backward(const LinearAttention& attention, std::size_t item, std::size_t head,
           const LinearCotangents& cotangents, const LinearGradients& gradients)
      : attention_(attention),
        item_(item),
        head_(head),
        cotangents_(cotangents),
        gradients_(gradients),
        totals_(cotangents.totals + (item * attention.heads + head) * attention.queries),
        mask_(narrowed()),
        blocks_(blocks_of(mask_)),
        scales_(attention, item, head, mask_.keys),
        query_(chunk, attention.width),
        key_(chunk, attention.width),
        turned_key_(attention.width, std::min(chunk, mask_.keys)),
        value_(chunk, attention.value_width),
        turned_value_(attention.value_width, turned_key_.width()),
        g_(chunk, attention.value_width),
        weights_(chunk, turned_key_.width()),
        to_weights_(chunk, turned_key_.width()),
        to_query_(chunk, attention.width),
        to_key_(chunk, attention.width),
        to_value_(chunk, attention.value_width) {}

  void run() {
    if (gradients_.query) to_queries();
    if (gradients_.key || gradients_.value || gradients_.log_scale) to_keys();
  }

 private:
  bool active(std::size_t i) const {
    if (totals_[i] == 0) return false;
    const Real* dy = cotangents_.context_cotangent.row(item_, head_, i);
    return std::any_of(dy, dy + attention_.value_width, [](Real x) { return x != 0; });
  }

  // Without the queries behind the last one that is active, and the keys that it does not see: nothing flows
  // to them, whatever they hold.
  PlainMask::Item narrowed() const {
    PlainMask::Item mask = attention_.mask->items[item_];
    std::size_t queries = mask.queries;
    while (queries > 0 && (mask.seen(queries - 1) == 0 || !active(queries - 1))) --queries;
    const std::size_t keys = queries > 0 ? mask.seen(queries - 1) : 0;
    return {queries, keys, mask.offset};
  }

  // g and h of a block; rows that are not active are zero.
  void take_cotangents(const Block& block) {
    const std::size_t width = attention_.value_width;
    g_.resize(block.query_count());
    for (std::size_t r = 0; r < g_.count(); ++r) {
      const std::size_t i = block.queries.begin + r;
      Real* g = g_.row(r);
      active_[r] = active(i);
      h_[r] = 0;
      if (!active_[r]) {
        std::fill_n(g, g_.step(), Real(0));
        continue;
      }
      const Real *y = cotangents_.context.row(item_, head_, i),
                 *dy = cotangents_.context_cotangent.row(item_, head_, i);
      streaming::pack_row(dy, width, g, g_.step());
      kernels().scale(width, 1 / totals_[i], g, g);
      bool any = false;
      h_[r] = -static_cast<Real>(kernels().inner_product(width, y, g, any));
    }
  }

  void take_keys(const Block& block) {
    key_.take(attention_.key, item_, head_, block.keys);
    value_.take(attention_.value, item_, head_, block.keys);
  }

  // The cotangents of the block's own weights.
  void weigh_cotangents(const Block& block) {
    turned_value_.turn(value_);
    to_weights_.resize(block.query_count());
    product({g_}, turned_value_, false, to_weights_);
    for (std::size_t r = 0; r < to_weights_.count(); ++r) {
      Real* row = to_weights_.row(r);
      for (std::size_t j = 0; j < block.key_count(); ++j) row[j] += h_[r];
    }
    keep_seen(block, mask_, scales_, to_weights_);
  }

  // ---- from the first key to the last ----

  void to_queries() {
    const std::size_t width = attention_.width;
    for (std::size_t i = 0; i < attention_.queries; ++i) {
      if (i >= mask_.queries || mask_.seen(i) == 0)
        std::fill_n(gradients_.query.row(item_, head_, i), width, Real(0));
    }
    Rows sum(attention_.value_width, width), key_sum(1, width), of_chunk(1, width);  // Tᵀ and z
    Real reference = 0;
    for (const Block& block : blocks_) {
      if (block.key_count() > 0) take_keys(block);
      if (block.query_count() > 0) {
        take_cotangents(block);
        to_query_.resize(block.query_count());
        product({g_}, sum, false, to_query_);
        for (std::size_t r = 0; r < to_query_.count(); ++r) {
          Real* row = to_query_.row(r);
          kernels().add_scaled(width, h_[r], key_sum.row(0), row);
          if (!scales_ || block.keys.begin == 0) continue;
          const std::size_t seen = mask_.seen(block.queries.begin + r);
          kernels().scale(width, std::exp(reference - scales_.most(seen)), row, row);
        }
        if (block.key_count() > 0) {
          weigh_cotangents(block);
          add_selected({to_weights_}, key_, to_query_);
        }
        put_queries(block);
      }
      if (block.key_count() == 0) continue;
      if (scales_) {
        const Real next = scales_.most(block.keys.end);
        if (block.keys.begin > 0) {
          sum.scale(std::exp(reference - next));
          key_sum.scale(std::exp(reference - next));
        }
        scales_.apply(block.keys, next, key_);
        reference = next;
      }
      product({value_, turned}, key_, true, sum);
      kernels().sum_columns(key_.count(), width, key_.row(0), key_.step(), of_chunk.row(0));
      kernels().add_into(width, of_chunk.row(0), key_sum.row(0));
    }
  }

  void put_queries(const Block& block) {
    for (std::size_t r = 0; r < block.query_count(); ++r) {
      Real* to = gradients_.query.row(item_, head_, block.queries.begin + r);
      if (active_[r]) {
        std::copy_n(to_query_.row(r), attention_.width, to);
      } else {
        std::fill_n(to, attention_.width, Real(0));
      }
    }
  }

  // ---- from the last query to the first ----

  /// Σ over the queries so far, relative to the m of the earliest of them, which is the smallest.
  struct QuerySums {
    Rows sum, turned_sum, row;  // R, Rᵀ and r
    Real reference = 0;
    bool any = false, stale = true;  // whether there was a query, whether Rᵀ is to be made
  };

  void to_keys() {
    const std::size_t width = attention_.width, value_width = attention_.value_width;
    put_zeros(gradients_.key, width);
    put_zeros(gradients_.value, value_width);
    put_zeros(gradients_.log_scale, 1);
    QuerySums sums{Rows(width, value_width), Rows(value_width, width), Rows(1, width)};
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      if (block->query_count() > 0) {
        take_cotangents(*block);
        query_.take(attention_.query, item_, head_, block->queries);
        for (std::size_t r = 0; r < query_.count(); ++r) {  // their zeros in g would not stop a NaN
          if (!active_[r]) std::fill_n(query_.row(r), query_.step(), Real(0));
        }
      }
      if (block->key_count() > 0) {
        take_keys(*block);
        give(*block, sums);
      }
      if (block->query_count() > 0) add_queries(*block, sums);
    }
  }

  // Of keys that no active query sees.
  void put_zeros(const Matrices<Real>& to, std::size_t width) const {
    for (std::size_t j = mask_.keys; to && j < attention_.keys; ++j) {
      std::fill_n(to.row(item_, head_, j), width, Real(0));
    }
  }

  void give(const Block& block, QuerySums& sums) {
    to_key_.resize(block.key_count());
    to_value_.resize(block.key_count());
    to_key_.clear();
    to_value_.clear();
    if (sums.any) {
      if (sums.stale) sums.turned_sum.turn(sums.sum);
      sums.stale = false;
      product({value_}, sums.turned_sum, false, to_key_);
      for (std::size_t j = 0; j < to_key_.count(); ++j) {
        kernels().add_into(attention_.width, sums.row.row(0), to_key_.row(j));
      }
      product({key_}, sums.sum, false, to_value_);
      if (scales_) {
        scales_.apply(block.keys, sums.reference, to_key_);
        scales_.apply(block.keys, sums.reference, to_value_);
      }
    }
    if (block.query_count() > 0) {
      weigh_cotangents(block);
      add_selected({to_weights_, turned}, query_, to_key_);
      turned_key_.turn(key_);
      weights_.resize(block.query_count());
      product({query_}, turned_key_, false, weights_);
      keep_seen(block, mask_, scales_, weights_);
      add_selected({weights_, turned}, g_, to_value_);
    }
    for (std::size_t j = 0; j < block.key_count(); ++j) put_key(block.keys.begin + j, j);
  }

  void put_key(std::size_t key, std::size_t row) {
    if (gradients_.key) {
      std::copy_n(to_key_.row(row), attention_.width, gradients_.key.row(item_, head_, key));
    }
    if (gradients_.value) {
      std::copy_n(to_value_.row(row), attention_.value_width, gradients_.value.row(item_, head_, key));
    }
    if (!gradients_.log_scale) return;
    bool any = false;
    *gradients_.log_scale.row(item_, head_, key) =
        static_cast<Real>(kernels().inner_product(attention_.width, key_.row(row), to_key_.row(row), any));
  }

  void add_queries(const Block& block, QuerySums& sums) {
    if (scales_) {
      const Real reference = scales_.most(mask_.seen(block.queries.begin));
      if (sums.any) {
        sums.sum.scale(std::exp(reference - sums.reference));
        sums.row.scale(std::exp(reference - sums.reference));
      }
      for (std::size_t r = 0; r < g_.count(); ++r) {
        const Real factor = std::exp(reference - scales_.most(mask_.seen(block.queries.begin + r)));
        kernels().scale(g_.step(), factor, g_.row(r), g_.row(r));
        h_[r] *= factor;
      }
      sums.reference = reference;
    }
    product({query_, turned}, g_, true, sums.sum);
    for (std::size_t r = 0; r < g_.count(); ++r) {
      kernels().add_scaled(attention_.width, h_[r], query_.row(r), sums.row.row(0));
    }
    sums.any = sums.stale = true;
  }

  const LinearAttention& attention_;
  std::size_t item_, head_;
  const LinearCotangents& cotangents_;
  const LinearGradients& gradients_;
  const Real* totals_;
  PlainMask::Item mask_;
  std::vector<Block> blocks_;
  Scales scales_;
  Rows query_, key_, turned_key_, value_, turned_value_, g_;  // of a block
  Rows weights_, to_weights_;                                 // its queries' by its keys
  Rows to_query_, to_key_, to_value_;
  std::array<Real, chunk> h_{};
  std::array<unsigned char, chunk> active_{};
};

}  // namespace

void linear_backward(const LinearAttention& attention, const LinearCotangents& cotangents,
                     const LinearGradients& gradients) {
  parallel_for(attention.items * attention.heads, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      Backward(attention, n / attention.heads, n % attention.heads, cotangents, gradients).run();
    }
  });
}

}  // namespace fovea::inline FOVEA_REAL
