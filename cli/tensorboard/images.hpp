#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/picture.hpp"

namespace fovea::events {

/// One head of a heat map: rows, from above, are what is written, columns what is read, in the colours of a
/// page in its light scheme. A cell is a square of several pixels, so that the longer side has 201 to 400;
/// from 201 cells on a cell is one pixel, and no side has more than 1,024: then each pixel has the greatest
/// weight among the cells that it stands for.
struct AttentionImage {
  std::string tag;
  std::size_t width = 0, height = 0;
  std::string png;  // the file
};

/// Of more heads these many are shown, evenly spread over all and with the first among them, so that each
/// layer has its turn: of what is shown first of an item, and of each of its other kinds of attention.
inline constexpr std::size_t most_heads = 8, most_others = 4;

/// The heat maps among pictures, with the tags `attention/ITEM/HEAD`. What stands for ITEM is the picture's
/// title, at most 40 characters of it; of items that come to the same the later ones have a number; a head of
/// the same name as one before has its axes behind it (`mean_of_all_read_read`). All but letters, digits,
/// hyphens and dots is written `_`, once for what stands together: TensorBoard groups by what is before a
/// slash, and its filter is a regular expression. Valid UTF-8 whatever a title holds.
std::vector<AttentionImage> attention_images(std::span<const report::Picture> pictures);

}  // namespace fovea::events
