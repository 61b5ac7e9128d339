#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "training/array_view.hpp"
#include "training/unread.hpp"

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
  /// As well. Arrays that are not read get their names, and an array with a part of one is not read either.
  Arrays to_ours(const Arrays& theirs) const;
  /// And back.
  Entries to_theirs(const Entries& ours) const;

 private:
  struct Line {
    ArrayView theirs, ours;
    std::size_t number = 0;
  };
  using Side = ArrayView Line::*;
  Arrays mapped(const Entries& arrays, const std::vector<UnreadArray>& unread, Side from, Side to) const;
  std::vector<const Line*> lines_for(const std::string& name, Side from) const;
  void check_used(const std::set<std::size_t>& used, const std::vector<std::string>& names, Side from) const;
  std::string where(const Line& line) const;

  std::string file_;
  std::vector<Line> lines_;
};

}  // namespace fovea
