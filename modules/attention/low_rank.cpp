#include "modules/attention/low_rank.hpp"

#include <algorithm>
#include <cmath>

#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "low-rank";

// Positions before each item's length; nothing where those are all.
std::optional<Keep> without_padding(const PlainMask& mask, std::size_t length) {
  const std::size_t items = mask.items.size();
  Keep keep({items, length, 1}, std::vector<unsigned char>(items * length));
  bool is_padded = false;
  for (std::size_t b = 0; b < items; ++b) {
    std::fill_n(keep.values.begin() + static_cast<std::ptrdiff_t>(b * length), mask.items[b].keys, 1);
    is_padded = is_padded || mask.items[b].keys < length;
  }
  return is_padded ? std::optional(std::move(keep)) : std::nullopt;
}

// Lengths alone: the first query that is one sees all keys.
bool is_lengths(const PlainMask& mask) {
  return std::ranges::all_of(
      mask.items, [](const PlainMask::Item& item) { return item.queries == 0 || item.seen(0) == item.keys; });
}

}  // namespace

LowRank::LowRank(std::size_t rank, std::size_t longest, Rng& rng) {
  const Real deviation = Real(1) / std::sqrt(static_cast<Real>(rank));
  keys = Param(normal(rng, {rank, longest}, 0, deviation));
  values = Param(normal(rng, {rank, longest}, 0, deviation));
}

LowRank::Slots LowRank::operator()(const Variable& in_keys, const Variable& in_values, const Mask& mask,
                                   std::size_t queries) const {
  const std::size_t length = in_keys.shape()[1];
  check(length <= longest(), here, "a sequence of ", length, " is longer than the ", longest(),
        " that the projection is for (rank-length)");
  const std::optional<PlainMask> plain = mask.plain(in_keys.shape()[0], queries, length);
  check<ConfigError>(
      plain && is_lengths(*plain), here,
      "slots are mixtures of all positions, so that a mask can only leave out padding (key and "
      "query lengths)");
  const std::optional<Keep> keep = without_padding(*plain, length);
  const auto projected = [&](const Param& by, const Variable& x) {
    // Padding becomes 0, whatever it holds.
    return matmul(slice(by, 1, 0, length), keep ? where(*keep, x, Variable(zeros({1}))) : x);
  };
  std::vector<std::size_t> asking;
  for (const PlainMask::Item& item : plain->items) asking.push_back(item.keys > 0 ? item.queries : 0);
  return {projected(keys, in_keys), projected(values, in_values), Mask::query_lengths(std::move(asking))};
}

}  // namespace fovea::inline FOVEA_REAL
