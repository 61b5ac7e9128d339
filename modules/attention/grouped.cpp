#include "modules/attention/grouped.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "groups";
using Row = std::span<const std::int64_t>;

/// 0 … n-1 by their ids, those of equal ids in their order; what follows stays where it is.
void sort_places(Row ids, std::size_t n, std::span<std::int64_t> places) {
  std::iota(places.begin(), places.end(), 0);
  if (n == 0) return;
  const auto [least, most] = std::ranges::minmax(ids.first(n));
  const std::uint64_t kinds = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  if (kinds > 4 * n) {
    std::ranges::stable_sort(places.first(n), {},
                             [&](std::int64_t at) { return ids[static_cast<std::size_t>(at)]; });
    return;
  }
  std::vector<std::size_t> next(kinds + 2);  // where the next one of each id goes
  const auto kind = [&, low = least](std::size_t t) { return static_cast<std::size_t>(ids[t] - low); };
  for (std::size_t t = 0; t < n; ++t) ++next[kind(t) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t t = 0; t < n; ++t) places[next[kind(t)]++] = static_cast<std::int64_t>(t);
}

/// Ids [B, G, T] as rows [B · G, T], with padding in a group of its own, and the order by these ids. Queries
/// and keys have different paddings.
struct Side {
  Ids ids, order;

  Side(const Ids& of, const std::vector<std::size_t>& lengths, std::int64_t padding)
      : ids({of.shape[0] * of.shape[1], of.shape[2]}, of.values), order(ids) {
    const std::size_t length = of.shape[2], heads = of.shape[1];
    parallel_for(ids.shape[0], rows_per_range(16 * length), [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        const std::size_t known = lengths[row / heads];
        const std::span<std::int64_t> to(ids.values.data() + row * length, length);
        std::ranges::fill(to.subspan(known), padding);
        sort_places(to, known, {order.values.data() + row * length, length});
      }
    });
  }

  /// The ids in another order.
  Ids by(const Ids& other) const {
    Ids sorted = ids;
    const std::size_t length = ids.shape[1];
    for (std::size_t n = 0; n < sorted.values.size(); ++n)
      sorted.values[n] = ids.values[n / length * length + static_cast<std::size_t>(other.values[n])];
    return sorted;
  }
};

struct Sorted {
  Side queries, keys;
};

void check_grouping(const Grouping& grouping, std::size_t heads, const Variable& query,
                    const Variable& keys) {
  const Shape of_queries{query.shape()[0], heads, query.shape()[1]},
      of_keys{keys.shape()[0], heads, keys.shape()[1]};
  check(grouping.queries.shape == of_queries && grouping.keys.shape == of_keys, here, "ids have shapes ",
        grouping.queries.shape, " and ", grouping.keys.shape, "; expected ", of_queries, " and ", of_keys,
        " to match queries ", query.shape(), " and keys ", keys.shape());
}

// [B, G, T] of [B · G, T].
Ids by_head(Ids rows, std::size_t heads) {
  return {{rows.shape[0] / heads, heads, rows.shape[1]}, std::move(rows.values)};
}

Ids as_they_are(std::size_t rows, std::size_t length) {
  Ids places({rows, length}, std::vector<std::int64_t>(rows * length));
  for (std::size_t n = 0; n < places.values.size(); ++n)
    places.values[n] = static_cast<std::int64_t>(n % length);
  return places;
}

}  // namespace

Attended grouped_attention(const HeadScoring& how, const Variable& query, const Variable& keys,
                           const Variable& values, std::span<const Grouping> groupings,
                           const std::optional<Mask>& beside, const AttentionOptions& options) {
  check(query.rank() == 3 && keys.rank() == 3 && keys.shape()[0] == query.shape()[0], here,
        "queries have shape ", query.shape(), " and keys ", keys.shape(),
        "; expected [batch, time, width] for both");
  const std::size_t items = query.shape()[0], length = query.shape()[1], key_length = keys.shape()[1];
  std::size_t heads = 1;
  if (!groupings.empty() && groupings[0].queries.shape.size() == 3) heads = groupings[0].queries.shape[1];
  check(heads == 1 || heads == options.heads, here, "there are groups of ", heads, " heads, and ",
        options.heads, " heads");
  const MaskView view = options.mask.view(items, length, key_length);
  std::vector<std::size_t> known_queries, known_keys;
  for (std::size_t b = 0; b < items; ++b) {
    known_queries.push_back(view.queries(b));
    known_keys.push_back(view.keys(b));
  }
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::vector<Sorted> sorted;
  for (const Grouping& grouping : groupings) {
    check_grouping(grouping, heads, query, keys);
    sorted.push_back({{grouping.queries, known_queries, last}, {grouping.keys, known_keys, last - 1}});
  }

  std::vector<OrderedPairs> parts;
  // Pairs of `mask` that no grouping before has.
  const auto add = [&](Ids query_order, Ids key_order, Mask mask) {
    for (std::size_t before = 0; before < parts.size() && before < sorted.size(); ++before) {
      mask = mask &
             Mask::other_groups(sorted[before].queries.by(query_order), sorted[before].keys.by(key_order));
    }
    parts.push_back(
        {by_head(std::move(query_order), heads), by_head(std::move(key_order), heads), std::move(mask)});
  };
  for (const auto& [of_queries, of_keys] : sorted) {
    add(of_queries.order, of_keys.order,
        Mask::groups(of_queries.by(of_queries.order), of_keys.by(of_keys.order)));
  }
  if (beside) {
    const Ids query_order = as_they_are(items * heads, length),
              key_order = as_they_are(items * heads, key_length);
    // Lengths in the one mask count for positions in the other.
    add(query_order, key_order, Mask::reordered(*beside & options.mask, query_order, key_order, heads));
  }
  return how.v.defined() ? additive_attention_in_parts(query, keys, how.v, values, parts, options)
                         : dot_attention_in_parts(query, keys, values, how.scale, parts, options);
}

Grouping strided_groups(std::size_t stride, const Mask& mask, std::size_t items, std::size_t queries,
                        std::size_t keys) {
  Mask::strided(stride);  // does it lead anywhere?
  const MaskView view = mask.view(items, queries, keys);
  const auto period = static_cast<std::int64_t>(stride);
  Grouping groups{{{items, 1, queries}, std::vector<std::int64_t>(items * queries)},
                  {{items, 1, keys}, std::vector<std::int64_t>(items * keys)}};
  for (std::size_t n = 0; n < items * queries; ++n) {
    const std::int64_t position = static_cast<std::int64_t>(n % queries) + view.shift(n / queries);
    const std::int64_t place = position % period;
    groups.queries.values[n] = place < 0 ? place + period : place;
  }
  for (std::size_t n = 0; n < items * keys; ++n)
    groups.keys.values[n] = static_cast<std::int64_t>(n % keys) % period;
  return groups;
}

Attended strided_attention(std::size_t stride, const HeadScoring& how, const Variable& query,
                           const Variable& keys, const Variable& values, const std::optional<Mask>& beside,
                           const AttentionOptions& options) {
  check(query.rank() == 3 && keys.rank() == 3, here, "queries have shape ", query.shape(), " and keys ",
        keys.shape(), "; expected [batch, time, width] for both");
  const Grouping groups =
      strided_groups(stride, options.mask, query.shape()[0], query.shape()[1], keys.shape()[1]);
  return grouped_attention(how, query, keys, values, {&groups, 1}, beside, options);
}

}  // namespace fovea::inline FOVEA_REAL
