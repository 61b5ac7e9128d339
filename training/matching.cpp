#include "training/matching.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "optim/glob.hpp"
#include "training/text.hpp"

namespace fovea {

void check_globs(std::span<const std::string> globs, std::span<const std::string> paths,
                 std::string_view origin) {
  for (const std::string& glob : globs) {
    const bool fits =
        std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return matches(glob, path); });
    check<ConfigError>(fits, "--match", "\"", glob, "\" fits no path of ", origin, suggestion(glob, paths));
  }
}

bool is_real(const Entry& entry) { return kind_name(entry) == "f32" || kind_name(entry) == "f64"; }

void Matching::expect(const std::string& name, std::vector<std::uint64_t> shape) {
  expected_.emplace(name, std::move(shape));
}

std::string Matching::faults(const Entries& entries, std::initializer_list<std::string_view> prefixes,
                             std::string_view known) const {
  const auto written = [](const std::vector<std::uint64_t>& shape) {
    return to_string(Shape(shape.begin(), shape.end()));
  };
  std::vector<std::string> missing, unexpected, other;
  for (const auto& [name, shape] : expected_) {
    const Entry* entry = entries.find(name);
    if (!entry) {
      missing.push_back(name);
    } else if (entry->shape != shape) {
      other.push_back(
          join(name, " is ", written(entry->shape), " in the file and ", written(shape), " here"));
    } else if (!is_real(*entry)) {
      other.push_back(join(name, " holds ", kind_name(*entry), " values"));
    }
  }
  for (const Entry& entry : entries.all()) {
    const bool ours = std::any_of(prefixes.begin(), prefixes.end(),
                                  [&](std::string_view prefix) { return entry.name.starts_with(prefix); });
    if (ours && entry.name != known && !expected_.contains(entry.name)) unexpected.push_back(entry.name);
  }
  std::string faults;
  if (!missing.empty()) faults += "; missing: " + list(missing);
  if (!unexpected.empty()) faults += "; unexpected: " + list(unexpected);
  if (!other.empty()) faults += "; " + list(other);
  return faults;
}

}  // namespace fovea
