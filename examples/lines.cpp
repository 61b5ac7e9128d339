#include "examples/lines.hpp"

#include <algorithm>

#include "examples/unicode.hpp"

namespace fovea::inline FOVEA_REAL {

Lines::Lines(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

bool Lines::next() {
  do {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
  } while (line_.empty());
  if (line_.size() > longest_line) {
    fail(line_.substr(0, 0), "the line is ", line_.size(), " bytes long; at most ", longest_line,
         " are read: is this a text file, one pair to a line?");
  }
  const std::size_t valid = unicode::valid_utf8(line_);
  if (valid < line_.size()) fail(line_.substr(valid), "the bytes here are not UTF-8; save the file as UTF-8");
  return true;
}

std::string Lines::place(std::string_view part) const {
  const std::string_view before = line_.substr(0, static_cast<std::size_t>(part.data() - line_.data()));
  const auto characters =
      std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return join(file_, ":", number_, ":", characters + 1);
}

void check_asked(std::string_view line, std::string_view advice) {
  const std::size_t valid = unicode::valid_utf8(line);
  check<DataError>(valid == line.size(), "predict", "byte ", valid + 1, " of the line is not UTF-8");
  check<DataError>(line.find('\t') == line.npos, "predict", "there is a tab; ", advice);
  check<DataError>(!unicode::is_blank(line), "predict", "the line is empty");
}

}  // namespace fovea::inline FOVEA_REAL
