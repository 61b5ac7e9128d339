#include "cli/tensorboard/images.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <png.h>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/check.hpp"
#include "report/colours.hpp"
#include "report/room.hpp"
#include "report/text.hpp"

namespace fovea::events {
namespace {

constexpr std::size_t usual_side = 400, most_side = 1024, longest_name = 40;

// Of `count` cells, in an image whose longer side has `longest` of them.
std::size_t pixels(std::size_t count, std::size_t longest) {
  if (longest > most_side) return std::max<std::size_t>(1, count * most_side / longest);
  return count * std::max<std::size_t>(1, usual_side / longest);
}

// Red, green and blue of each shade.
std::array<std::uint8_t, 3 * report::shades> palette() {
  std::array<std::uint8_t, 3 * report::shades> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const char* digits = report::light_colours().weights[i / 3] + 1 + 2 * (i % 3);  // of #rrggbb
    std::from_chars(digits, digits + 2, parts[i], 16);
  }
  return parts;
}

// Pixels are numbers of shades, row by row.
std::string png_of(const std::vector<std::uint8_t>& shades, std::size_t width, std::size_t height) {
  static const std::array<std::uint8_t, 3 * report::shades> colours = palette();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = report::shades;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(size, '\0');
  png_image_write_to_memory(&image, file.data(), &size, 0, shades.data(), 0, colours.data());
  if (PNG_IMAGE_FAILED(image))
    throw Error(fmt::format("cannot make a picture of {} x {} pixels: {}", width, height, image.message));
  file.resize(size);
  return file;
}

AttentionImage image_of(const report::HeatMap& map, const report::HeatMap::Head& head) {
  const std::size_t rows = map.rows.size(), columns = map.columns.size(), longest = std::max(rows, columns);
  AttentionImage image{"", pixels(columns, longest), pixels(rows, longest), ""};
  std::vector<std::uint8_t> shades;
  shades.reserve(image.width * image.height);
  // The cells that a pixel stands for are from `at` to the `at` of the next one, and at least one.
  const auto last = [](std::size_t at, std::size_t next) { return std::max(at + 1, next); };
  for (std::size_t y = 0; y < image.height; ++y) {
    const std::size_t row = y * rows / image.height, end_row = last(row, (y + 1) * rows / image.height);
    for (std::size_t x = 0; x < image.width; ++x) {
      const std::size_t column = x * columns / image.width,
                        end_column = last(column, (x + 1) * columns / image.width);
      double most = 0;
      for (std::size_t i = row; i < end_row; ++i)
        for (std::size_t j = column; j < end_column; ++j)
          most = std::max(most, head.weights[i * columns + j]);
      shades.push_back(static_cast<std::uint8_t>(report::shade(most)));
    }
  }
  image.png = png_of(shades, image.width, image.height);
  return image;
}

bool has_cells(const report::HeatMap& map) { return !map.rows.empty() && !map.columns.empty(); }

// A text as a part of a tag.
std::string part_of(std::string_view text) {
  const std::string shown = report::visible(text);
  std::string part;
  std::size_t characters = 0;
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    const bool begins = (byte & 0xc0) != 0x80,
               is_other = byte < 0x80 && !std::isalnum(byte) && c != '-' && c != '.';
    if (is_other && part.ends_with('_')) continue;
    if (begins && characters++ == longest_name) break;
    part += is_other ? '_' : c;
  }
  return part.empty() ? "_" : part;
}

}  // namespace

std::vector<AttentionImage> attention_images(std::span<const report::Picture> pictures) {
  std::vector<AttentionImage> images;
  std::set<std::string> used, tags;
  for (const report::Picture& picture : pictures) {
    const auto* maps = std::get_if<report::HeatMaps>(&picture.shown);
    if (!maps || std::none_of(maps->begin(), maps->end(), has_cells)) continue;
    const std::string name = part_of(picture.title);
    std::string item = name;
    for (std::size_t number = 2; !used.insert(item).second; ++number)
      item = fmt::format("{}_{}", name, number);
    for (const report::HeatMap& map : *maps) {
      if (!has_cells(map)) continue;
      for (const std::size_t i :
           report::spread(map.heads.size(), &map == &maps->front() ? most_heads : most_others)) {
        images.push_back(image_of(map, map.heads[i]));
        std::string& tag = images.back().tag;
        tag = fmt::format("attention/{}/{}", item, part_of(map.heads[i].name));
        if (!tags.insert(tag).second)  // the mean of another kind
          tags.insert(tag += "_" + part_of(map.row_axis + " " + map.column_axis));
      }
    }
  }
  return images;
}

}  // namespace fovea::events
