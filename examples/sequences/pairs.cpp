#include "examples/sequences/pairs.hpp"

#include "examples/lines.hpp"
#include "examples/unicode.hpp"
#include "training/file.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

std::vector<Pair> parse_pairs(std::string_view text, const std::string& file, const SideNames& sides) {
  std::vector<Pair> pairs;
  Lines lines(text, file);
  while (lines.next()) {
    const std::string_view line = lines.line();
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) {
      lines.fail(line.substr(line.size()), "the line ends without a tab; write the ", sides.first,
                 ", a tab, the ", sides.second);
    }
    const std::string_view source = line.substr(0, tab), target = line.substr(tab + 1);
    const std::size_t second = target.find('\t');
    if (second != std::string_view::npos) {
      lines.fail(target.substr(second), "this is the second tab of the line; write one, between ",
                 sides.first, " and ", sides.second);
    }
    if (unicode::is_blank(source)) {
      lines.fail(source, "the ", sides.first, ", before the tab, is empty; fill it or take the line out");
    }
    if (unicode::is_blank(target)) {
      lines.fail(target, "the ", sides.second, ", after the tab, is empty; fill it or take the line out");
    }
    pairs.push_back({unicode::nfc(source), unicode::nfc(target), lines.number()});
  }
  if (pairs.empty()) {
    throw DataError(
        join(file, ": there is no pair; write lines of a ", sides.first, ", a tab and its ", sides.second));
  }
  return pairs;
}

std::vector<Pair> read_pairs(const std::filesystem::path& file, const SideNames& sides) {
  std::string text;
  try {
    text = read_file(file);
  } catch (const Error& error) {
    throw DataError(error.what());
  }
  return parse_pairs(text, file.string(), sides);
}

}  // namespace fovea::inline FOVEA_REAL::sequences
