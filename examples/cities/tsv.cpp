#include "examples/cities/tsv.hpp"

#include <algorithm>

#include "examples/unicode.hpp"

namespace fovea::inline FOVEA_REAL::cities {

Tsv::Tsv(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  while (text_.ends_with('\n') || text_.ends_with('\r')) text_.remove_suffix(1);
  rest_ = text_;
  const std::size_t valid = unicode::valid_utf8(text_);
  if (valid < text_.size()) fail(text_.substr(valid), "the bytes here are not UTF-8");
  if (text_.empty()) fail(text_, "the file is empty; expected a header line that names the columns");
  take_line();
  split();
  for (const std::string_view name : fields_) {
    if (find(name)) fail(name, "the column \"", name, "\" is named twice");
    columns_.emplace_back(name);
  }
}

std::optional<std::size_t> Tsv::find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

bool Tsv::next() {
  if (!take_line()) return false;
  split();
  if (fields_.size() != columns_.size()) {
    const std::size_t known = std::min(fields_.size(), columns_.size());
    fail(fields_.size() > known ? fields_[known] : line_.substr(line_.size()), "the row has ", fields_.size(),
         " fields; the header names ", columns_.size());
  }
  return true;
}

bool Tsv::take_line() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

void Tsv::split() {
  fields_.clear();
  std::string_view left = line_;
  for (;;) {
    const std::size_t tab = left.find('\t');
    fields_.push_back(left.substr(0, tab));
    if (tab == std::string_view::npos) return;
    left.remove_prefix(tab + 1);
  }
}

std::string Tsv::place(std::string_view part) const {
  const std::string_view before = text_.substr(0, static_cast<std::size_t>(part.data() - text_.data()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto characters =
      std::count_if(in_line.begin(), in_line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return join(file_, ":", lines + 1, ":", characters + 1);
}

}  // namespace fovea::inline FOVEA_REAL::cities
