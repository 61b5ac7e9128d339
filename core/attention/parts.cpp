#include "core/attention/parts.hpp"

#include <cmath>

#include "core/attention/packed.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

using streaming::Buffer;

/// Rows [items, heads, length] of the whole, in the order of a part.
class Ordered {
 public:
  Ordered(const Attention& whole, const AttentionPart& part, bool keys)
      : places_((keys ? part.key_order : part.query_order).values.data()),
        items_(whole.items),
        heads_(whole.heads),
        order_heads_(part.order_heads),
        length_(keys ? whole.keys : whole.queries) {}

  std::size_t size() const { return items_ * heads_ * length_; }
  const std::int64_t* places(std::size_t item, std::size_t head) const {
    return places_ + (item * order_heads_ + (order_heads_ == 1 ? 0 : head)) * length_;
  }

  /// body(number of the row in the part's order, item, head, its place in the whole).
  template <class Body>
  void each(std::size_t width, const Body& body) const {
    parallel_for(size(), rows_per_range(width), [&](std::size_t begin, std::size_t end) {
      for (std::size_t n = begin; n < end; ++n) {
        const std::size_t t = n % length_, head = n / length_ % heads_, item = n / length_ / heads_;
        body(n, item, head, static_cast<std::size_t>(places(item, head)[t]));
      }
    });
  }

  /// Rows of the whole in the part's order, one after the other.
  Buffer taken(const Matrices<const Real>& from, std::size_t width) const {
    Buffer rows(from ? size() * width : 0);
    if (!from) return rows;
    each(width, [&](std::size_t n, std::size_t item, std::size_t head, std::size_t place) {
      std::copy_n(from.row(item, head, place), width, rows.data() + n * width);
    });
    return rows;
  }
  /// And back: assigned, or added to what is there.
  void put(const Buffer& rows, std::size_t width, bool add, const Matrices<Real>& to) const {
    each(width, [&](std::size_t n, std::size_t item, std::size_t head, std::size_t place) {
      const Real* from = rows.data() + n * width;
      Real* row = to.row(item, head, place);
      if (add) {
        kernels().add_into(width, from, row);
      } else {
        std::copy_n(from, width, row);
      }
    });
  }
  template <class T>
  Matrices<T> matrices(T* data, std::size_t width) const {
    return {data, heads_ * length_ * width, length_ * width, width};
  }

  /// The row's number in [items, heads, length] of the whole.
  std::size_t number(std::size_t item, std::size_t head, std::size_t place) const {
    return (item * heads_ + head) * length_ + place;
  }

 private:
  const std::int64_t* places_;
  std::size_t items_, heads_, order_heads_, length_;
};

/// A part as an attention of its own.
struct PartInOrder {
  Ordered queries, keys;
  Buffer query, key, value;
  Attention attention;

  PartInOrder(const Attention& whole, const AttentionPart& part)
      : queries(whole, part, false),
        keys(whole, part, true),
        query(queries.taken(whole.query, whole.width)),
        key(keys.taken(whole.key, whole.width)),
        value(keys.taken(whole.value, whole.value_width)),
        attention(whole) {
    attention.query = queries.matrices<const Real>(query.data(), whole.width);
    attention.key = keys.matrices<const Real>(key.data(), whole.width);
    if (whole.value) attention.value = keys.matrices<const Real>(value.data(), whole.value_width);
    attention.mask = &part.mask;
    attention.mask_heads = part.order_heads;
    attention.rng = &part.rng;
  }

  /// [items, heads, queries, keys] of the whole in the part's order.
  Buffer pairs_taken(const Real* from) const {
    const std::size_t count = attention.keys;
    Buffer taken(queries.size() * count);
    queries.each(count, [&](std::size_t n, std::size_t item, std::size_t head, std::size_t place) {
      const std::int64_t* at = keys.places(item, head);
      const Real* row = from + queries.number(item, head, place) * count;
      for (std::size_t j = 0; j < count; ++j) taken[n * count + j] = row[at[j]];
    });
    return taken;
  }
};

/// How much of a row comes from either of two parts.
struct Shares {
  double a, b;
};

/// Puts row b to row a; both have seen some key.
Shares join(RowStatistics& a, const RowStatistics& b) {
  const double max = std::max(a.max, b.max);
  const double of_a = std::exp(a.max - max) / a.scale, of_b = std::exp(b.max - max) / b.scale;
  const Shares shares{of_a / (of_a + of_b), of_b / (of_a + of_b)};
  const double mean = shares.a * (a.mean + (a.max - max)) + shares.b * (b.mean + (b.max - max));
  a = {static_cast<Real>(max), static_cast<Real>(1 / (of_a + of_b)), static_cast<Real>(mean)};
  return shares;
}

/// Results of parts, put together one after the other.
class Union {
 public:
  Union(const Attention& whole, const AttentionResults& results, RowStatistics* rows)
      : whole_(whole), results_(results), rows_(rows) {}

  void add(const AttentionPart& part, bool first) {
    const PartInOrder one(whole_, part);
    const std::size_t count = one.queries.size(), keys = whole_.keys, width = whole_.value_width;
    Buffer context(results_.context ? count * width : 0), weights(results_.weights ? count * keys : 0),
        entropy(results_.entropy ? count : 0);
    std::vector<RowStatistics> rows(count);
    AttentionResults to;
    if (results_.context) to.context = one.queries.matrices(context.data(), width);
    to.weights = results_.weights ? weights.data() : nullptr;
    to.entropy = results_.entropy ? entropy.data() : nullptr;
    to.rows = rows.data();
    attend_forward(one.attention, to);

    const std::size_t work = width + (results_.weights ? keys : 0);
    one.queries.each(work, [&](std::size_t n, std::size_t item, std::size_t head, std::size_t place) {
      const std::size_t number = one.queries.number(item, head, place);
      RowStatistics& row = rows_[number];
      const bool seen = rows[n].scale != 0;
      if (!first && !seen) return;
      const bool alone = first || row.scale == 0;
      const Shares shares = alone ? Shares{0, 1} : join(row, rows[n]);
      if (alone) row = rows[n];
      if (results_.context)
        mix(width, shares, alone, context.data() + n * width, results_.context.row(item, head, place));
      if (results_.entropy) {
        Real& h = results_.entropy[number];
        h = alone ? entropy[n]
                  : static_cast<Real>(of_entropy(shares.a, h) + of_entropy(shares.b, entropy[n]));
      }
      if (!results_.weights) return;
      Real* to_row = results_.weights + number * keys;
      const Real* from = weights.data() + n * keys;
      const std::int64_t* at = one.keys.places(item, head);
      const Real kept = static_cast<Real>(shares.a), added = static_cast<Real>(shares.b);
      if (!alone) kernels().mul_or_zero(keys, to_row, 1, &kept, 0, to_row);
      for (std::size_t j = 0; j < keys; ++j) {
        if (alone) {
          to_row[at[j]] = from[j];
        } else if (from[j] != 0) {
          to_row[at[j]] = added * from[j];
        }
      }
    });
  }

 private:
  static void mix(std::size_t width, const Shares& shares, bool alone, const Real* from, Real* to) {
    if (alone) {
      std::copy_n(from, width, to);
    } else {
      kernels().scale(width, static_cast<Real>(shares.a), to, to);
      kernels().add_scaled(width, static_cast<Real>(shares.b), from, to);
    }
  }
  static double of_entropy(double share, Real entropy) {
    return share == 0 ? 0 : share * (static_cast<double>(entropy) - std::log(share));
  }

  const Attention& whole_;
  const AttentionResults& results_;
  RowStatistics* rows_;
};

/// What one part adds to the gradients, or, with `add` false, what they are so far.
void backward_of(const Attention& whole, const AttentionPart& part, const AttentionCotangents& cotangents,
                 const AttentionGradients& gradients, bool add) {
  const PartInOrder one(whole, part);
  const std::size_t count = one.queries.size(), width = whole.width, value_width = whole.value_width;
  AttentionCotangents from;
  const Buffer context = one.queries.taken(cotangents.context, value_width),
               dcontext = one.queries.taken(cotangents.context_cotangent, value_width);
  if (cotangents.context_cotangent) {
    from.context = one.queries.matrices<const Real>(context.data(), value_width);
    from.context_cotangent = one.queries.matrices<const Real>(dcontext.data(), value_width);
  }
  Buffer weights, dweights;
  if (cotangents.weights_cotangent) {
    weights = one.pairs_taken(cotangents.weights);
    dweights = one.pairs_taken(cotangents.weights_cotangent);
    from.weights = weights.data();
    from.weights_cotangent = dweights.data();
  }
  std::vector<RowStatistics> rows(count);
  Buffer entropy(cotangents.entropy ? count : 0);
  one.queries.each(1, [&](std::size_t n, std::size_t item, std::size_t head, std::size_t place) {
    const std::size_t number = one.queries.number(item, head, place);
    rows[n] = cotangents.rows[number];
    if (cotangents.entropy) entropy[n] = cotangents.entropy[number];
  });
  from.rows = rows.data();
  if (cotangents.entropy) from.entropy = entropy.data();

  AttentionGradients to;
  Buffer query(gradients.query ? count * width : 0), key(gradients.key ? one.keys.size() * width : 0),
      value(gradients.value ? one.keys.size() * value_width : 0), v(gradients.v ? whole.heads * width : 0);
  if (gradients.query) to.query = one.queries.matrices(query.data(), width);
  if (gradients.key) to.key = one.keys.matrices(key.data(), width);
  if (gradients.value) to.value = one.keys.matrices(value.data(), value_width);
  if (gradients.v) to.v = v.data();
  attend_backward(one.attention, from, to);
  if (gradients.query) one.queries.put(query, width, add, gradients.query);
  if (gradients.key) one.keys.put(key, width, add, gradients.key);
  if (gradients.value) one.keys.put(value, value_width, add, gradients.value);
  for (std::size_t n = 0; n < v.size(); ++n) gradients.v[n] = add ? gradients.v[n] + v[n] : v[n];
}

Attention unmasked(const Attention& whole) {
  Attention all = whole;
  all.mask = nullptr;
  return all;
}

}  // namespace

void attend_forward(const Attention& whole, std::span<const AttentionPart> parts,
                    const AttentionResults& results) {
  if (results.scores) attend_forward(unmasked(whole), {.context = {}, .scores = results.scores});
  std::vector<RowStatistics> own(results.rows ? 0 : whole.row_count());
  Union all(whole, results, results.rows ? results.rows : own.data());
  for (std::size_t n = 0; n < parts.size(); ++n) all.add(parts[n], n == 0);
}

void attend_backward(const Attention& whole, std::span<const AttentionPart> parts,
                     const AttentionCotangents& cotangents, const AttentionGradients& gradients) {
  if (cotangents.scores) {
    AttentionCotangents from;
    from.scores = cotangents.scores;
    attend_backward(unmasked(whole), from, gradients);
    if (!cotangents.context_cotangent && !cotangents.weights_cotangent && !cotangents.entropy) return;
  }
  for (std::size_t n = 0; n < parts.size(); ++n)
    backward_of(whole, parts[n], cotangents, gradients, n > 0 || cotangents.scores);
}

}  // namespace fovea::inline FOVEA_REAL
