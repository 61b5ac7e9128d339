#include "training/import.hpp"

#include <cmath>
#include <map>

#include "optim/glob.hpp"
#include "training/matching.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

// The values of `from` as the kind of `like`; those that are finite and would not be any more go to `faults`.
Entry::Values converted(const Entry& from, const Entry& like, std::string& faults) {
  return std::visit(
      [&](const auto& values, const auto& wanted) -> Entry::Values {
        using From = typename std::decay_t<decltype(values)>::value_type;
        using To = typename std::decay_t<decltype(wanted)>::value_type;
        if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) {
          std::vector<To> result;
          result.reserve(values.size());
          for (const From value : values) result.push_back(static_cast<To>(value));
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(values[i]) || std::isfinite(result[i])) continue;
            faults +=
                join("; ", from.name, " holds ", values[i], ", which is too large for ", kind_name(like));
            break;
          }
          return result;
        } else {
          throw Error(join("[import] ", from.name, " holds ", kind_name(from), " values and is to hold ",
                           kind_name(like), " values"));
        }
      },
      from.values, like.values);
}

NotFinite not_finite_in(const Entry& array) {
  NotFinite found{array.name};
  std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        found.of = values.size();
        if constexpr (std::is_floating_point_v<T>) {
          for (const T value : values) found.count += !std::isfinite(value);
        }
      },
      array.values);
  return found;
}

// What `write_checkpoint` writes itself.
bool is_of_label(const Entry& entry) {
  return entry.name == "task" || entry.name == "config" || entry.name.starts_with("data/") ||
         entry.name.starts_with("position/");
}

}  // namespace

std::vector<NotFinite> write_imported(const std::filesystem::path& out, const Checkpoint& into,
                                      const Arrays& arrays, const std::string& origin,
                                      std::span<const std::string> globs) {
  Entries chosen;
  for (const Entry& array : arrays.read.all())
    if (is_chosen(array.name, globs)) chosen.add(array.name, array.shape, array.values);
  std::map<std::string, std::string> unread;  // path → type
  for (const UnreadArray& array : arrays.unread)
    if (is_chosen(array.name, globs)) unread.emplace(array.name, array.type);

  Matching matching;
  std::vector<std::string> paths;
  for (const Entry& entry : into.entries.all()) {
    const std::string path(array_path(entry));
    if (path.empty()) continue;
    paths.push_back(path);
    if (is_chosen(path, globs) && !unread.contains(path)) matching.expect(path, entry.shape);
  }
  check_globs(globs, paths, into.origin);

  std::string faults = matching.faults(chosen);
  for (const auto& [path, type] : unread) faults += join("; ", path, " is of ", type, ", which is not read");
  Entries numbers;
  std::vector<NotFinite> warnings;
  for (const Entry& entry : into.entries.all()) {
    if (is_of_training(entry.name) || is_of_label(entry)) continue;
    const std::string_view path = array_path(entry);
    const Entry* array = path.empty() ? nullptr : chosen.find(path);
    const bool replaced = array && is_real(*array);
    numbers.add(entry.name, entry.shape, replaced ? converted(*array, entry, faults) : entry.values);
    if (const NotFinite found = replaced ? not_finite_in(*array) : NotFinite(); found.count > 0)
      warnings.push_back(found);
  }
  if (!faults.empty()) {
    throw CheckpointError(
        join(origin, " does not fit ", into.origin, faults,
             "; --map FILE says what is called otherwise and what to leave out, --match GLOB "
             "takes a part"));
  }
  write_checkpoint(out, into.label, {.items = into.position.items}, numbers);
  return warnings;
}

}  // namespace fovea
