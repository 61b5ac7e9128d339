#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// A text and what it is to become, both in normal form C.
struct Pair {
  std::string source, target;
  std::uint64_t line = 0;  // of its file, counted from 1

  bool operator==(const Pair&) const = default;
};

/// How the two sides of a line are called in what is said of them.
struct SideNames {
  std::string_view first = "source", second = "target";
};

/// Reads lines `source TAB target`; see lines.hpp for what is accepted beside. There are no comments and no
/// quotes. DataError `file:line:column: …` where there is no tab or a second one, where source or target
/// holds nothing but spaces, and `file: …` where there is no pair at all.
std::vector<Pair> parse_pairs(std::string_view text, const std::string& file, const SideNames& sides = {});
/// The same from a file. DataError when it cannot be read.
std::vector<Pair> read_pairs(const std::filesystem::path& file, const SideNames& sides = {});

}  // namespace fovea::inline FOVEA_REAL::sequences
