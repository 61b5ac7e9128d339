#include "report/short_names.hpp"

#include <algorithm>

namespace fovea::report {
namespace {

using Words = std::vector<std::string>;

struct HeadName {
  Words path;
  std::string head;  // `, head 1`
};

HeadName parsed(const std::string& name) {
  const std::size_t comma = std::min(name.find(", "), name.size());
  if (name.find(' ') < comma) return {};  // no path
  HeadName place{{}, name.substr(comma)};
  for (std::size_t begin = 0; begin <= comma;) {
    const std::size_t end = std::min(name.find('.', begin), comma);
    place.path.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return place;
}

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

std::string joined(const Words& path, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < path.size(); ++i) text += (i > from ? "." : "") + path[i];
  return text;
}

}  // namespace

std::vector<std::string> short_names(const HeatMap& map) {
  std::vector<HeadName> parts;
  const Words* first = nullptr;
  for (const HeatMap::Head& head : map.heads) parts.push_back(parsed(head.name));
  for (const HeadName& place : parts)
    if (!first && !place.path.empty()) first = &place.path;
  // Which parts of the paths differ.
  std::size_t begins_alike = first ? first->size() : 0;
  bool same_length = true;
  std::vector<std::size_t> varying;
  for (const HeadName& place : parts) {
    if (place.path.empty()) continue;
    same_length = same_length && place.path.size() == first->size();
    const auto end = std::mismatch(place.path.begin(), place.path.end(), first->begin(), first->end()).first;
    begins_alike = std::min(begins_alike, static_cast<std::size_t>(end - place.path.begin()));
  }
  for (std::size_t i = 0; same_length && first && i < first->size(); ++i) {
    const bool differs = std::any_of(parts.begin(), parts.end(), [&](const HeadName& place) {
      return !place.path.empty() && place.path[i] != (*first)[i];
    });
    if (differs) varying.push_back(i);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [path, head] = parts[i];
    if (path.empty()) {
      names.push_back(map.heads[i].name);
    } else if (same_length && varying.empty()) {  // one attention
      names.push_back(head.empty() ? map.heads[i].name : head.substr(2));
    } else if (same_length && varying.size() == 1) {
      const std::size_t at = varying.front();
      std::string kind = at > 0 ? path[at - 1] : "";
      if (kind.ends_with('s')) kind.pop_back();
      names.push_back((is_number(path[at]) && !kind.empty() ? kind + " " : "") + path[at] + head);
    } else {
      names.push_back((begins_alike < path.size() ? joined(path, begins_alike) : joined(path, 0)) + head);
    }
  }
  return names;
}

}  // namespace fovea::report
