#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "training/array_view.hpp"
#include "training/entries.hpp"

namespace fovea {

/// What another program calls our arrays: lines of TOML, each an equation between two views,
///
///     "their.name" = "our.path"
///
/// where `*` stands for any letters, also dots and none, and is the same on both sides, the first for the
/// first. `""` as our path leaves theirs out. The first line that fits a name decides, together with
/// all others that take other rows of the same name; an array that no line fits keeps its name.
class NameMap {
 public:
  /// The map that changes nothing.
  NameMap() = default;
  /// ConfigError `file:line: …`.
  static NameMap parse(std::string_view text, const std::string& file);
  static NameMap read(const std::filesystem::path& file);

  /// Their arrays as ours. ConfigError `file:line: …` for a line without a `*` that decides of no array, for
  /// rows that are not there, and for arrays of which a line is missing to make them or use them whole.
  Entries to_ours(const Entries& theirs) const;
  /// And back.
  Entries to_theirs(const Entries& ours) const;

 private:
  struct Line {
    ArrayView theirs, ours;
    std::size_t number = 0;
  };
  using Side = ArrayView Line::*;
  Entries mapped(const Entries& arrays, Side from, Side to) const;
  std::string where(const Line& line) const;

  std::string file_;
  std::vector<Line> lines_;
};

}  // namespace fovea
