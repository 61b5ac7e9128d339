#include "training/name_map.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "training/file.hpp"
#include "training/require.hpp"
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

}  // namespace

std::string NameMap::where(const Line& line) const { return join(file_, ":", line.number); }

NameMap NameMap::parse(std::string_view text, const std::string& file) {
  NameMap map;
  map.file_ = file;
  for (const TomlLeaf& leaf : toml_leaves(text, file)) {
    within<ConfigError>(join(file, ":", leaf.line), [&] {
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

Entries NameMap::to_ours(const Entries& theirs) const {
  return mapped(theirs, {}, &Line::theirs, &Line::ours).read;
}
Arrays NameMap::to_ours(const Arrays& theirs) const {
  return mapped(theirs.read, theirs.unread, &Line::theirs, &Line::ours);
}
Entries NameMap::to_theirs(const Entries& ours) const {
  return mapped(ours, {}, &Line::ours, &Line::theirs).read;
}

// The first line that fits, and all others with the same pattern: they decide about this array.
std::vector<const NameMap::Line*> NameMap::lines_for(const std::string& name, Side from) const {
  std::vector<const Line*> found;
  for (const Line& line : lines_) {
    const std::string& pattern = (line.*from).name;
    const bool decides = found.empty() ? !pattern.empty() && fit(pattern, name).has_value()
                                       : pattern == (found[0]->*from).name;
    if (decides) found.push_back(&line);
  }
  return found;
}

void NameMap::check_used(const std::set<std::size_t>& used, const std::vector<std::string>& names,
                         Side from) const {
  for (const Line& line : lines_) {
    const std::string& name = (line.*from).name;
    if (name.empty() || stars(line.*from) > 0 || used.contains(line.number)) continue;
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw ConfigError(join(where(line), ": a line before this one takes \"", name, "\""));
    throw ConfigError(join(where(line), ": there is no array \"", name, "\"", suggestion(name, names)));
  }
}

Arrays NameMap::mapped(const Entries& arrays, const std::vector<UnreadArray>& unread, Side from,
                       Side to) const {
  std::map<std::string, std::vector<Piece>> pieces;  // by the name that they have afterwards
  std::map<std::string, std::string> line_of;        // that made it first, for messages
  std::vector<std::string> order, names;
  std::set<std::size_t> used;
  std::set<std::string> not_read;
  Arrays result;
  const auto give = [&](Piece piece, const std::string& line) {
    const std::string& name = piece.view.name;
    if (line_of.emplace(name, line).second) order.push_back(name);
    pieces[name].push_back(std::move(piece));
  };
  const auto new_name = [&](const Line& line, const std::string& name) {
    return filled_in((line.*to).name, *fit((line.*from).name, name));
  };
  for (const Entry& array : arrays.all()) {
    names.push_back(array.name);
    const std::vector<const Line*> lines = lines_for(array.name, from);
    std::vector<ArrayView> views;
    for (const Line* line : lines) {
      used.insert(line->number);
      views.push_back(line->*from);
      views.back().name = array.name;
      Entry seen = within<ConfigError>(where(*line), [&] { return seen_by(views.back(), array); });
      ArrayView other = line->*to;
      if (other.name.empty()) continue;  // left out
      other.name = new_name(*line, array.name);
      give({std::move(other), std::move(seen)}, where(*line));
    }
    if (lines.empty()) {
      give({{.name = array.name}, array}, file_);
    } else {
      within<ConfigError>(where(*lines[0]), [&] { check_all_shown(array, std::move(views)); });
    }
  }
  for (const UnreadArray& array : unread) {
    names.push_back(array.name);
    const std::vector<const Line*> lines = lines_for(array.name, from);
    std::set<std::string> others;
    if (lines.empty()) others.insert(array.name);
    for (const Line* line : lines) {
      used.insert(line->number);
      if (!(line->*to).name.empty()) others.insert(new_name(*line, array.name));
    }
    for (const std::string& name : others) {
      not_read.insert(name);
      result.unread.push_back({name, array.type, array.shape, array.checksum});
    }
  }
  check_used(used, names, from);
  for (const std::string& name : order) {
    if (not_read.contains(name)) continue;
    Entry whole =
        within<ConfigError>(line_of.at(name), [&] { return assembled(name, std::move(pieces.at(name))); });
    result.read.add(name, std::move(whole.shape), std::move(whole.values));
  }
  return result;
}

}  // namespace fovea
