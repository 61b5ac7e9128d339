#include "examples/sequences/batches.hpp"

#include <algorithm>

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

/// [rows, T] of padding but for what `write(row, T-wide place)` writes there.
template <class Length, class Write>
Padded padded(std::size_t rows, const Length& length, const Write& write) {
  Padded result;
  std::size_t width = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    result.lengths.push_back(length(i));
    width = std::max(width, result.lengths.back());
  }
  check(width > 0, "batch", rows, " sequences without a single token");
  std::vector<std::int64_t> values(rows * width, Vocabulary::padding);
  for (std::size_t i = 0; i < rows; ++i) write(i, values.data() + i * width);
  result.ids = Ids({rows, width}, std::move(values));
  return result;
}

template <class At>
Batch batch_of(std::size_t rows, const At& at) {
  const auto with_one = [&](std::size_t i) { return at(i).target.size() + 1; };
  Padded source = padded(
      rows, [&](std::size_t i) { return at(i).source.size(); },
      [&](std::size_t i, std::int64_t* to) { std::copy(at(i).source.begin(), at(i).source.end(), to); });
  Padded inputs = padded(rows, with_one, [&](std::size_t i, std::int64_t* to) {
    *to = Vocabulary::begin;
    std::copy(at(i).target.begin(), at(i).target.end(), to + 1);
  });
  Padded targets = padded(rows, with_one, [&](std::size_t i, std::int64_t* to) {
    *std::copy(at(i).target.begin(), at(i).target.end(), to) = Vocabulary::end;
  });
  return {std::move(source), std::move(inputs), std::move(targets.ids)};
}

}  // namespace

Padded pad(std::span<const std::vector<std::int64_t>> rows) {
  return padded(
      rows.size(), [&](std::size_t i) { return rows[i].size(); },
      [&](std::size_t i, std::int64_t* to) { std::copy(rows[i].begin(), rows[i].end(), to); });
}

Batch make_batch(std::span<const Item> items) {
  return batch_of(items.size(), [&](std::size_t i) -> const Item& { return items[i]; });
}

Batch make_batch(std::span<const Item> items, std::span<const std::size_t> chosen) {
  return batch_of(chosen.size(), [&](std::size_t i) -> const Item& { return items[chosen[i]]; });
}

}  // namespace fovea::inline FOVEA_REAL::sequences
