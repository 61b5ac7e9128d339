#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.hpp"
#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL {

/// The longest line that is read, in bytes: a longer one is hardly a text of lines.
inline constexpr std::size_t longest_line = 1'000'000;

/// Goes through the lines of a text that are not empty. A byte order mark, CRLF and a last line without its
/// end are accepted. Every error is a DataError `file:line:column: …`; columns count characters.
class Lines {
 public:
  /// `text` outlives this.
  Lines(std::string_view text, std::string file);

  /// The next line that is not empty; false at the end. DataError for one that is not UTF-8 or too long.
  bool next();
  std::string_view line() const { return line_; }
  std::uint64_t number() const { return number_; }  // counted from 1

  /// `part` lies within the current line; it is where the error is.
  template <class... Parts>
  [[noreturn]] void fail(std::string_view part, const Parts&... parts) const {
    throw DataError(join(place(part), ": ", parts...));
  }
  /// `file:line:column` of a part of the current line.
  std::string place(std::string_view part) const;

 private:
  std::string_view rest_, line_;
  std::string file_;
  std::uint64_t number_ = 0;
};

/// Checks one text that a model is asked about. DataError for what is not UTF-8, for a tab, where `advice`
/// says what a line is, and for one that holds nothing but spaces.
void check_asked(std::string_view line, std::string_view advice);

}  // namespace fovea::inline FOVEA_REAL
