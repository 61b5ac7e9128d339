#include "autograd/ordered_parts.hpp"

#include <algorithm>
#include <utility>

namespace fovea::inline FOVEA_REAL::detail {
namespace {

/// A permutation for each item, or for each item and head: one for each row of the result.
Ids rows_of_order(const Op& op, const char* what, const Ids& order, const PartSizes& sizes,
                  std::size_t length) {
  const bool fits = order.shape.size() == 3 && order.shape[0] == sizes.items &&
                    (order.shape[1] == 1 || order.shape[1] == sizes.heads) && order.shape[2] == length;
  check(fits, op, "the order of ", what, " has shape ", order.shape, "; expected [", sizes.items, ", 1 or ",
        sizes.heads, ", ", length, "]");
  std::vector<unsigned char> there(length);
  for (std::size_t n = 0; n < order.values.size(); ++n) {
    if (n % length == 0) std::ranges::fill(there, 0);
    const std::int64_t place = order.values[n];
    const auto at = static_cast<std::size_t>(place);
    if (0 <= place && at < length && !std::exchange(there[at], 1)) continue;
    check(false, op, "the order of ", what, " is no permutation: place ", place, " at ",
          position_of(n, order.shape));
  }
  return {{order.shape[0] * order.shape[1], length}, order.values};
}

}  // namespace

std::vector<AttentionPart> ordered_parts(const Op& op, std::span<const OrderedPairs> parts,
                                         const PartSizes& sizes, const AttentionOptions& options) {
  check<ConfigError>(!parts.empty(), op, "there is no part");
  options.mask.view(sizes.items, sizes.queries, sizes.keys);  // does it fit?
  std::vector<AttentionPart> made;
  for (const OrderedPairs& part : parts) {
    Ids queries = rows_of_order(op, "queries", part.query_order, sizes, sizes.queries),
        keys = rows_of_order(op, "keys", part.key_order, sizes, sizes.keys);
    const std::size_t heads = part.query_order.shape[1];
    check(part.key_order.shape[1] == heads, op, "the orders have shapes ", part.query_order.shape, " and ",
          part.key_order.shape, "; expected as many heads in both");
    const Mask mask = part.mask & Mask::reordered(options.mask, queries, keys, heads);
    MaskView view = mask.view(sizes.items * heads, sizes.queries, sizes.keys);
    Rng rng;
    if (options.dropout > 0) {
      rng = *options.rng;
      options.rng->skip((sizes.items * sizes.heads * sizes.queries * sizes.keys + 1) / 2);
    }
    made.push_back({std::move(queries), std::move(keys), heads, std::move(view), rng});
  }
  return made;
}

}  // namespace fovea::inline FOVEA_REAL::detail
