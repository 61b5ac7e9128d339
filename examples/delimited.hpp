#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL {

/// How fields are told apart.
struct TableFormat {
  char separator = '\t';  // 0: whichever of , ; and tab occurs most in the header
  bool quotes = false;    // a field may stand in "…", with "" for a quote in it, but not go over lines
};

/// The most columns that are read: a header with more is hardly one.
inline constexpr std::size_t most_columns = 10'000;

/// Reads a table as text: one header line, then one line for each row. A byte order mark, CRLF and empty
/// lines at the end are accepted. Fields are views into the text, so that whoever finds something wrong with
/// one can say where it stands. Every error is a DataError `file:line:column: …`; columns count characters.
class Delimited {
 public:
  /// `text` outlives this. Checks that it is UTF-8, not empty, and that its columns are not too many
  /// and none is named twice.
  Delimited(std::string_view text, std::string file, TableFormat format = {});

  const std::vector<std::string>& columns() const { return columns_; }
  std::optional<std::size_t> find(std::string_view column) const;
  /// The next row; false at the end. A row has as many fields as the header.
  bool next();
  /// As it stands in the file, without the quotes around it. In it "" may stand for one quote.
  std::string_view field(std::size_t column) const { return fields_[column]; }
  std::string_view line() const { return line_; }

  /// `part` lies within the text; it is where the error is.
  template <class... Parts>
  [[noreturn]] void fail(std::string_view part, const Parts&... parts) const {
    throw DataError(join(place(part), ": ", parts...));
  }
  /// `file:line:column` of a part of the text.
  std::string place(std::string_view part) const;

 private:
  bool take_line();
  void split();
  std::string_view take_quoted(std::string_view& left) const;
  std::string_view text_, rest_, line_;
  std::string file_;
  TableFormat format_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
};

}  // namespace fovea::inline FOVEA_REAL
