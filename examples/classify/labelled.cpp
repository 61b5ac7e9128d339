#include "examples/classify/labelled.hpp"

#include <map>

#include "examples/cities/catalogue.hpp"
#include "examples/delimited.hpp"
#include "examples/unicode.hpp"
#include "training/file.hpp"

namespace fovea::inline FOVEA_REAL::classify {

using sequences::Pair;

namespace {

constexpr sequences::SideNames sides{"label", "text"};

// From `label TAB text` to a text and what it is to become.
std::vector<Pair> turned(std::vector<Pair> lines, Case letter_case) {
  for (Pair& pair : lines) {
    std::swap(pair.source, pair.target);
    pair.source = normalised(pair.source, letter_case);
  }
  return lines;
}

}  // namespace

Case case_of(std::string_view name) {
  if (name == "keep") return Case::keep;
  if (name == "lower") return Case::lower;
  throw ConfigError(join("there is no case \"", name, "\"; choose keep or lower"));
}

std::string normalised(std::string_view text, Case letter_case) {
  return letter_case == Case::lower ? unicode::lower(text) : unicode::nfc(text);
}

std::vector<Pair> parse_labelled(std::string_view text, const std::string& file, Case letter_case) {
  return turned(sequences::parse_pairs(text, file, sides), letter_case);
}

std::vector<Pair> read_labelled(const std::filesystem::path& file, Case letter_case) {
  return turned(sequences::read_pairs(file, sides), letter_case);
}

std::vector<Pair> bundled_places(std::uint64_t least, Case letter_case) {
  const std::filesystem::path file = cities::bundled_catalogue();
  std::string text;
  try {
    text = read_file(file);
  } catch (const Error& error) {
    throw DataError(join(error.what(),
                         "; name a file with --data FILE, or the folder of examples with the environment "
                         "variable FOVEA_EXAMPLES"));
  }
  Delimited table(text, file.string());
  const auto name = table.find("name"), country = table.find("country");
  if (!name || !country)
    table.fail(table.line(), "there is no column \"", name ? "country" : "name", "\" among the columns");
  std::vector<Pair> pairs;
  std::map<std::string, std::uint64_t> counts;
  for (std::uint64_t line = 2; table.next(); ++line) {
    pairs.push_back({normalised(table.field(*name), letter_case), std::string(table.field(*country)), line});
    ++counts[pairs.back().target];
  }
  std::erase_if(pairs, [&](const Pair& pair) { return counts[pair.target] < least; });
  return pairs;
}

}  // namespace fovea::inline FOVEA_REAL::classify
