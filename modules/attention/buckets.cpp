#include "modules/attention/buckets.hpp"

#include "core/attention/packed.hpp"
#include "core/draw.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "buckets";
using Scratch = streaming::Buffer;
using streaming::padded;

// The first largest of [y; -y].
std::int64_t direction(const Real* y, std::size_t half) {
  std::size_t found = 0;
  Real best = y[0];
  for (std::size_t n = 1; n < half; ++n) {
    if (y[n] > best) best = y[found = n];
  }
  for (std::size_t n = 0; n < half; ++n) {
    if (-y[n] > best) best = -y[n], found = half + n;
  }
  return static_cast<std::int64_t>(found);
}

}  // namespace

void check_buckets(std::size_t buckets, std::size_t rounds) {
  check<ConfigError>(1 <= buckets && buckets <= most_buckets && (buckets == 1 || buckets % 2 == 0), here,
                     "there are ", buckets, " buckets; expected 1, or an even number up to ", most_buckets);
  check<ConfigError>(1 <= rounds && rounds <= most_rounds, here, "there are ", rounds,
                     " hashes; expected 1 to ", most_rounds);
}

Buckets::Buckets(std::size_t in_buckets, std::size_t in_rounds, std::size_t heads, std::size_t width,
                 Rng& rng)
    : buckets(in_buckets), rounds(in_rounds) {
  check_buckets(buckets, rounds);
  rotations.value = normal(rng, {rounds, heads, width, buckets / 2}, 0, 1);
}

std::vector<Ids> Buckets::hash(const Tensor& x) const {
  check(x.shape().size() == 3 && x.shape()[2] == heads() * width(), here, "vectors have shape ", x.shape(),
        "; expected [batch, time, ", heads() * width(), "]: ", heads(), " heads of width ", width());
  const std::size_t items = x.shape()[0], length = x.shape()[1], half = buckets / 2, columns = padded(half),
                    size = width();
  std::vector<Ids> found(rounds,
                         Ids({items, heads(), length}, std::vector<std::int64_t>(items * heads() * length)));
  if (half == 0) return found;
  constexpr std::size_t rows = 96;  // at a time
  const std::size_t ranges = (length + rows - 1) / rows;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t head = 0; head < heads(); ++head) {
      Scratch turn(size * columns);
      const Real* from = rotations.value.data() + (round * heads() + head) * size * half;
      for (std::size_t d = 0; d < size; ++d)
        streaming::pack_row(from + d * half, half, turn.data() + d * columns, columns);
      parallel_for(items * ranges, 1, [&](std::size_t begin, std::size_t end) {
        Scratch turned(rows * columns);
        for (std::size_t n = begin; n < end; ++n) {
          const std::size_t item = n / ranges, first = n % ranges * rows,
                            count = std::min(rows, length - first);
          const Real* vectors = x.data() + (item * length + first) * x.shape()[2] + head * size;
          kernels().tile_product(count, columns, size, 1, vectors, x.shape()[2], 1, turn.data(), columns,
                                 false, turned.data(), columns);
          std::int64_t* to = found[round].values.data() + (item * heads() + head) * length + first;
          for (std::size_t t = 0; t < count; ++t) to[t] = direction(turned.data() + t * columns, half);
        }
      });
    }
  }
  return found;
}

Attended bucketed_attention(const Buckets& buckets, const HeadScoring& how, const Variable& query,
                            const Variable& keys, const Variable& values, const AttentionOptions& options,
                            const std::optional<Mask>& beside) {
  check(options.heads == buckets.heads(), here, "there are rotations of ", buckets.heads(), " heads, and ",
        options.heads, " heads");
  std::vector<Ids> of_queries = buckets.hash(query.value()), of_keys = buckets.hash(keys.value());
  std::vector<Grouping> groupings;
  for (std::size_t round = 0; round < buckets.rounds; ++round)
    groupings.push_back({std::move(of_queries[round]), std::move(of_keys[round])});
  return grouped_attention(how, query, keys, values, groupings, beside, options);
}

}  // namespace fovea::inline FOVEA_REAL
