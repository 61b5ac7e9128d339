#pragma once

#include <algorithm>
#include <cstdlib>
#include <png.h>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "report/colours.hpp"

namespace fovea {

/// A PNG file as its reader sees it.
struct Decoded {
  std::size_t width = 0, height = 0;
  std::vector<std::size_t> shades;  // of each pixel, row by row

  std::size_t at(std::size_t x, std::size_t y) const { return shades.at(y * width + x); }
};

inline Decoded decoded(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&image, file.data(), file.size()));
  image.format = PNG_FORMAT_RGB;
  std::vector<unsigned char> bytes(PNG_IMAGE_SIZE(image));
  REQUIRE(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr));
  std::vector<unsigned long> colours;
  for (const char* one : report::light_colours().weights)
    colours.push_back(std::strtoul(one + 1, nullptr, 16));
  Decoded found{image.width, image.height, {}};
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned long colour = bytes[i] * 65536ul + bytes[i + 1] * 256ul + bytes[i + 2];
    const auto shade = std::find(colours.begin(), colours.end(), colour);
    if (shade == colours.end()) FAIL("colour " << colour << " is none of a page's");
    found.shades.push_back(static_cast<std::size_t>(shade - colours.begin()));
  }
  return found;
}

}  // namespace fovea
