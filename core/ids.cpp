#include "core/ids.hpp"

#include <algorithm>

namespace fovea {
Shape position_of(std::size_t i, const Shape& shape) {
  Shape position = shape;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = i % shape[axis];
    i /= shape[axis];
  }
  return position;
}

Ids::Ids(Shape in_shape, std::vector<std::int64_t> in_values)
    : shape(std::move(in_shape)), values(std::move(in_values)) {
  check(volume(shape) == values.size(), "Ids", values.size(), " ids do not fill shape ", shape);
}

Keep::Keep(Shape in_shape, std::vector<unsigned char> in_values)
    : shape(std::move(in_shape)), values(std::move(in_values)) {
  check(volume(shape) == values.size(), "Keep", values.size(), " values do not fill shape ", shape);
}

std::vector<unsigned char> broadcast_values(const Keep& keep, const Shape& shape) {
  if (shape.empty()) return keep.values;
  const bool whole = !keep.shape.empty() && keep.shape.back() == shape.back();
  std::vector<unsigned char> result;
  result.reserve(volume(shape));
  for (const std::size_t row : broadcast_rows(keep.shape, shape)) {
    for (std::size_t j = 0; j < shape.back(); ++j) {
      result.push_back(whole ? keep.values[row * shape.back() + j] : keep.values[row]);
    }
  }
  return result;
}

void check_ids(const Ids& ids, std::size_t count, std::string_view where) {
  for (std::size_t i = 0; i < ids.values.size(); ++i) {
    const std::int64_t id = ids.values[i];
    if (0 <= id && static_cast<std::size_t>(id) < count)
      continue;  // the words below are for the other case alone
    check(false, where, "id ", id, " at position ", position_of(i, ids.shape), " is outside 0 … ",
          static_cast<std::int64_t>(count) - 1, " (", count, " rows)");
  }
}

std::vector<std::size_t> rows_of(const Ids& ids, std::size_t count, std::string_view where) {
  check_ids(ids, count, where);
  return {ids.values.begin(), ids.values.end()};
}

}  // namespace fovea
