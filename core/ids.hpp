#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/check.hpp"

namespace fovea {

/// Whole numbers in the shape of a tensor: tokens, classes, rows of a table.
struct Ids {
  Shape shape;
  std::vector<std::int64_t> values;

  Ids() = default;
  Ids(std::vector<std::int64_t> row) : shape{row.size()}, values(std::move(row)) {}
  Ids(Shape in_shape, std::vector<std::int64_t> in_values);
};

/// Yes or no in the shape of a tensor: true where an element is kept.
struct Keep {
  Shape shape;
  std::vector<unsigned char> values;

  Keep() = default;
  Keep(Shape in_shape, std::vector<unsigned char> in_values);
};

/// The values of `keep`, repeated to fill `shape`, to which it broadcasts.
std::vector<unsigned char> broadcast_values(const Keep& keep, const Shape& shape);

/// Where element `i` of a tensor of this shape stands: [1, 4].
Shape position_of(std::size_t i, const Shape& shape);

/// Throws ShapeError that names the first id outside 0 … count-1 and its position.
void check_ids(const Ids& ids, std::size_t count, std::string_view where);

/// `ids` as rows of a table of `count` rows.
std::vector<std::size_t> rows_of(const Ids& ids, std::size_t count, std::string_view where);

}  // namespace fovea
