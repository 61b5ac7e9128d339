#include "cli/inspect_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/print.hpp"
#include "training/arrays.hpp"
#include "training/diff.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

std::string in_brackets(const std::vector<std::uint64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string text_of(const EntryDifference& difference, const std::string& a, const std::string& b) {
  const Entry *one = difference.a, *other = difference.b;
  if (!one || !other) return "only in " + (one ? a : b);
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (one->values.index() != other->values.index())
    add(fmt::format("{} → {}", kind_name(*one), kind_name(*other)));
  if (one->shape != other->shape)
    add(fmt::format("shape {} → {}", in_brackets(one->shape), in_brackets(other->shape)));
  if (!difference.values) return text;
  const ValueDifference& values = *difference.values;
  const std::string change = fmt::format("{} → {}", one_line(values.a), one_line(values.b));
  if (values.of == 1) {
    add(change);
    return text;
  }
  add(fmt::format("{} of {} values differ", values.differing, values.of));
  if (values.absolute)
    text += fmt::format(", by up to {} ({} relative)", brief(*values.absolute), brief(*values.relative));
  text += fmt::format(", first {}: {}", in_brackets(values.first), change);
  return text;
}

Json json_of(const EntryDifference& difference, const std::string& a, const std::string& b) {
  Json object{{"name", difference.name}};
  const Entry *one = difference.a, *other = difference.b;
  if (!one || !other) {
    object["only_in"] = one ? a : b;
    return object;
  }
  object["kind"] = {kind_name(*one), kind_name(*other)};
  object["shape"] = {one->shape, other->shape};
  if (!difference.values) return object;
  const ValueDifference& values = *difference.values;
  object["count"] = values.of;
  object["differing"] = values.differing;
  if (values.absolute) {
    object["largest_absolute"] = *values.absolute;
    object["largest_relative"] = *values.relative;
  }
  object["first"] = {{"index", values.first}, {"values", {values.a, values.b}}};
  return object;
}

Entries entries_of(const std::string& file, bool all) {
  if (is_exchange_file(file)) {
    Arrays arrays = read_arrays(file);
    // Of those that are not read it is still seen whether their bytes are the same.
    for (const UnreadArray& array : arrays.unread)
      arrays.read.add_text(array.name,
                           fmt::format("{} {} {}", array.type, in_brackets(array.shape), array.checksum));
    return std::move(arrays.read);
  }
  const Checkpoint checkpoint = read_checkpoint(file);
  return all ? comparable(checkpoint) : arrays_of(checkpoint);
}

}  // namespace

int inspect_difference(const std::string& a, const std::string& b, bool json) {
  const bool all = !is_exchange_file(a) && !is_exchange_file(b);
  const Entries of_a = entries_of(a, all), of_b = entries_of(b, all);
  const std::vector<EntryDifference> found = differences(of_a, of_b);
  Json list = Json::array();
  std::string text;
  std::size_t width = 0, only_b = 0;
  for (const EntryDifference& one : found) {
    width = std::max(width, one.name.size());
    only_b += one.a == nullptr;
  }
  for (const EntryDifference& one : found) {
    list.push_back(json_of(one, a, b));
    text += fmt::format("{:<{}}  {}\n", one.name, width, text_of(one, a, b));
  }
  const std::size_t entries = of_a.all().size() + only_b;
  if (json) {
    const Json object{{"equal", found.empty()}, {"entries", entries}, {"differences", list}};
    print(object.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print(text + (found.empty() ? fmt::format("all {} entries are equal", entries)
                                : fmt::format("{} of {} entries differ", found.size(), entries)));
  }
  return found.empty() ? 0 : 1;
}

}  // namespace fovea
