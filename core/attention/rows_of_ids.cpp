#include "core/attention/rows_of_ids.hpp"

namespace fovea {
namespace {

void widen(Range& range, const Range& by) {
  range.lowest = std::min(range.lowest, by.lowest);
  range.highest = std::max(range.highest, by.highest);
}

}  // namespace

RowsOfIds::RowsOfIds(Ids ids) : ids_(std::move(ids)), blocks_((length() + block - 1) / block) {
  ranges_.reserve(items() * blocks_);
  for (std::size_t item = 0; item < items(); ++item) {
    const auto of_item = row(item);
    for (std::size_t begin = 0; begin < length(); begin += block) {
      const auto [least, most] =
          std::ranges::minmax_element(of_item.subspan(begin, std::min(block, length() - begin)));
      ranges_.push_back({*least, *most});
    }
  }
}

Range RowsOfIds::range(std::size_t item, std::size_t begin, std::size_t end) const {
  const auto of_item = row(item);
  Range found{of_item[begin], of_item[begin]};
  for (std::size_t n = begin; n < end;) {
    const bool whole = n % block == 0 && (end - n >= block || end == length());
    widen(found, whole ? ranges_[item * blocks_ + n / block] : Range{of_item[n], of_item[n]});
    n += whole ? block : 1;
  }
  return found;
}

}  // namespace fovea
