#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "training/entries.hpp"

namespace fovea {

/// What is meant of an array, written as
///
///     NAME              all of it
///     NAME[1/3]         its rows in three equal parts: those of part 1, counted from 0
///     NAME[0:64]        its rows 0 to 63
///     NAME[2]           its row 2, without the first axis
///     NAME^T, NAME^T[…] the same of its transpose
struct ArrayView {
  enum class Rows { all, part, range, one };

  std::string name;
  bool transposed = false;
  Rows rows = Rows::all;
  std::uint64_t first = 0, second = 0;  // part and parts, begin and end, or row and row + 1

  /// ConfigError for anything in brackets that is none of these.
  static ArrayView parse(std::string_view text);
  /// As it is written.
  std::string text() const;
};

/// A view and what it shows.
struct Piece {
  ArrayView view;
  Entry seen;
};

/// What `view` shows of `array`. ConfigError where it has no such rows.
Entry seen_by(const ArrayView& view, const Entry& array);

/// ConfigError unless the views show every row of `array`, each once: what none shows would be lost.
void check_all_shown(const Entry& array, std::vector<ArrayView> views);

/// The array of which each piece is what its view shows: `seen_by` backwards. ConfigError unless the pieces
/// fit together without a gap and without an overlap.
Entry assembled(const std::string& name, std::vector<Piece> pieces);

}  // namespace fovea
