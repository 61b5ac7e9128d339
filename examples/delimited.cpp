#include "examples/delimited.hpp"

#include <algorithm>

#include "examples/unicode.hpp"

namespace fovea::inline FOVEA_REAL {

namespace {

char likeliest_separator(std::string_view header) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t'}) {
    bool quoted = false;
    std::ptrdiff_t count = 0;
    for (const char c : header) {
      if (c == '"') quoted = !quoted;
      count += c == candidate && !quoted;
    }
    if (count > most) best = candidate;
    most = std::max(most, count);
  }
  return best;
}

}  // namespace

Delimited::Delimited(std::string_view text, std::string file, TableFormat format)
    : text_(text), file_(std::move(file)), format_(format) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  while (text_.ends_with('\n') || text_.ends_with('\r')) text_.remove_suffix(1);
  rest_ = text_;
  const std::size_t valid = unicode::valid_utf8(text_);
  if (valid < text_.size()) fail(text_.substr(valid), "the bytes here are not UTF-8; save the file as UTF-8");
  if (text_.empty()) fail(text_, "the file is empty; expected a header line that names the columns");
  take_line();
  if (!format_.separator) format_.separator = likeliest_separator(line_);
  split();
  if (fields_.size() > most_columns)
    fail(fields_[most_columns], "the header names ", fields_.size(), " columns; at most ", most_columns,
         " are read: is this a table, one row to a line?");
  for (const std::string_view field : fields_) {
    std::string name(field);
    if (format_.quotes)  // "" stands for one
      for (std::size_t at = 0; (at = name.find("\"\"", at)) != name.npos; ++at) name.erase(at, 1);
    if (find(name)) fail(field, "the column \"", name, "\" is named twice");
    columns_.push_back(std::move(name));
  }
}

std::optional<std::size_t> Delimited::find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

bool Delimited::next() {
  if (!take_line()) return false;
  split();
  if (fields_.size() != columns_.size()) {
    const std::size_t known = std::min(fields_.size(), columns_.size());
    fail(fields_.size() > known ? fields_[known] : line_.substr(line_.size()), "the row has ", fields_.size(),
         " fields; the header names ", columns_.size());
  }
  return true;
}

bool Delimited::take_line() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

void Delimited::split() {
  fields_.clear();
  for (std::string_view left = line_;;) {
    std::string_view field;
    if (format_.quotes && left.starts_with('"')) {
      field = take_quoted(left);
    } else {
      field = left.substr(0, left.find(format_.separator));
      left.remove_prefix(field.size());
    }
    fields_.push_back(field);
    if (left.empty()) return;
    left.remove_prefix(1);
  }
}

// The inside of the quoted field that `left` begins with; `left` becomes what follows it.
std::string_view Delimited::take_quoted(std::string_view& left) const {
  std::size_t end = 1;
  for (;; end += 2) {  // over "", which stands for a quote
    end = left.find('"', end);
    if (end == left.npos) fail(left, "a quote is opened and not closed in this line");
    if (left.substr(end + 1, 1) != "\"") break;
  }
  const std::string_view inside = left.substr(1, end - 1), rest = left.substr(end + 1);
  if (!rest.empty() && rest.front() != format_.separator)
    fail(rest, "there is text after a closed quote; in a field with quotes each \" is written twice");
  left = rest;
  return inside;
}

std::string Delimited::place(std::string_view part) const {
  const std::string_view before = text_.substr(0, static_cast<std::size_t>(part.data() - text_.data()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto characters =
      std::count_if(in_line.begin(), in_line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return join(file_, ":", lines + 1, ":", characters + 1);
}

}  // namespace fovea::inline FOVEA_REAL
