#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// Reads text of one header line and one line per row, separated by tabs, without quoting. A byte order mark,
/// CRLF and empty lines at the end are accepted. Fields are views into the text, so that whoever finds
/// something wrong with one can say where it stands. Every error is a DataError `file:line:column: …`;
/// columns count characters.
class Tsv {
 public:
  /// `text` outlives this. Checks that it is UTF-8, not empty, and that no column is named twice.
  Tsv(std::string_view text, std::string file);

  const std::vector<std::string>& columns() const { return columns_; }
  std::optional<std::size_t> find(std::string_view column) const;
  /// The next row; false at the end. A row has as many fields as the header.
  bool next();
  std::string_view field(std::size_t column) const { return fields_[column]; }
  std::string_view line() const { return line_; }

  template <class... Parts>
  [[noreturn]] void fail(std::string_view part_of_text, const Parts&... parts) const {
    throw DataError(join(place(part_of_text), ": ", parts...));
  }
  /// `file:line:column` of a part of the text.
  std::string place(std::string_view part_of_text) const;

 private:
  bool take_line();
  void split();
  std::string_view text_, rest_, line_;
  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
};

}  // namespace fovea::inline FOVEA_REAL::cities
