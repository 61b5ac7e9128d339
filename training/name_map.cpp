#include "training/name_map.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "training/file.hpp"
#include "training/text.hpp"
#include "training/toml_leaves.hpp"

namespace fovea {
namespace {

using Letters = std::vector<std::string_view>;  // what each * of a pattern stands for

// Pieces of a pattern between its stars are looked for from the left, so that each * is as short as can be.
std::optional<Letters> fit(std::string_view pattern, std::string_view name) {
  Letters letters;
  std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name ? std::optional(letters) : std::nullopt;
  if (!name.starts_with(pattern.substr(0, star))) return {};
  name.remove_prefix(star);
  while (true) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    const std::string_view text = pattern.substr(0, star);
    const bool last = star == std::string_view::npos;
    if (last && !name.ends_with(text)) return {};
    const std::size_t found = last ? name.size() - text.size() : name.find(text);
    if (found == std::string_view::npos) return {};
    letters.push_back(name.substr(0, found));
    if (last) return letters;
    name.remove_prefix(found + text.size());
  }
}

std::string filled_in(std::string_view pattern, const Letters& letters) {
  std::string name;
  auto next = letters.begin();
  for (const char c : pattern) {
    if (c == '*') {
      name += *next++;
    } else {
      name += c;
    }
  }
  return name;
}

std::ptrdiff_t stars(const ArrayView& view) { return std::count(view.name.begin(), view.name.end(), '*'); }

// Runs `work`, whose ConfigError then says which line it was about.
template <class Work>
auto at_line(const std::string& where, const Work& work) {
  try {
    return work();
  } catch (const ConfigError& error) {
    throw ConfigError(where + ": " + error.what());
  }
}

}  // namespace

std::string NameMap::where(const Line& line) const { return join(file_, ":", line.number); }

NameMap NameMap::parse(std::string_view text, const std::string& file) {
  NameMap map;
  map.file_ = file;
  for (const TomlLeaf& leaf : toml_leaves(text, file)) {
    at_line(join(file, ":", leaf.line), [&] {
      if (leaf.keys.size() != 1 || !leaf.is_text)
        throw ConfigError("expected \"their.name\" = \"our.path\", with quotes around both");
      Line line{ArrayView::parse(leaf.keys[0]), ArrayView::parse(leaf.value), leaf.line};
      if (!line.ours.name.empty() && stars(line.theirs) != stars(line.ours))
        throw ConfigError(join("\"", leaf.keys[0], "\" has ", stars(line.theirs), " * and \"", leaf.value,
                               "\" has ", stars(line.ours), "; each * stands for the same on both sides"));
      map.lines_.push_back(std::move(line));
    });
  }
  return map;
}

NameMap NameMap::read(const std::filesystem::path& file) {
  std::string text;
  try {
    text = read_file(file);
  } catch (const Error& error) {
    throw ConfigError(error.what());
  }
  return parse(text, file.string());
}

Entries NameMap::to_ours(const Entries& theirs) const { return mapped(theirs, &Line::theirs, &Line::ours); }
Entries NameMap::to_theirs(const Entries& ours) const { return mapped(ours, &Line::ours, &Line::theirs); }

Entries NameMap::mapped(const Entries& arrays, Side from, Side to) const {
  std::map<std::string, std::vector<Piece>> pieces;  // by the name that they have afterwards
  std::map<std::string, std::string> line_of;        // that made it first, for messages
  std::vector<std::string> order;
  std::set<std::size_t> used;
  const auto give = [&](Piece piece, const std::string& line) {
    const std::string& name = piece.view.name;
    if (line_of.emplace(name, line).second) order.push_back(name);
    pieces[name].push_back(std::move(piece));
  };
  for (const Entry& array : arrays.all()) {
    const auto first = std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) {
      return !(line.*from).name.empty() && fit((line.*from).name, array.name);
    });
    if (first == lines_.end()) {
      give({{.name = array.name}, array}, file_);
      continue;
    }
    const Letters letters = *fit((*first.*from).name, array.name);
    std::vector<Piece> taken;
    for (const Line& line : lines_) {
      if ((line.*from).name != (*first.*from).name) continue;
      used.insert(line.number);
      ArrayView view = line.*from, other = line.*to;
      view.name = array.name;
      Entry seen = at_line(where(line), [&] { return seen_by(view, array); });
      taken.push_back({view, seen});
      if (other.name.empty()) continue;  // left out
      other.name = filled_in(other.name, letters);
      give({std::move(other), std::move(seen)}, where(line));
    }
    // Rows that no line takes, or two lines, are a mistake in the map.
    at_line(where(*first), [&] { return assembled(array.name, std::move(taken)); });
  }
  std::vector<std::string> names;
  for (const Entry& array : arrays.all()) names.push_back(array.name);
  for (const Line& line : lines_) {
    const std::string& name = (line.*from).name;
    if (name.empty() || stars(line.*from) > 0 || used.contains(line.number)) continue;
    if (arrays.find(name))
      throw ConfigError(join(where(line), ": a line before this one takes \"", name, "\""));
    throw ConfigError(join(where(line), ": there is no array \"", name, "\"", suggestion(name, names)));
  }
  Entries result;
  for (const std::string& name : order) {
    Entry whole = at_line(line_of.at(name), [&] { return assembled(name, std::move(pieces.at(name))); });
    result.add(name, std::move(whole.shape), std::move(whole.values));
  }
  return result;
}

}  // namespace fovea
