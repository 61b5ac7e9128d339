#include "training/settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/check.hpp"

namespace fovea {

bool is_given(const Given& flags, std::string_view name) {
  return std::any_of(flags.begin(), flags.end(), [&](const auto& flag) { return flag.first == name; });
}

void read_settings(Settings& settings, const Checkpoint& from, const UseRequest& use) {
  try {
    settings.options.read_toml(from.label.config, from.origin + ": its config");
  } catch (const ConfigError& error) {
    throw CheckpointError(error.what());
  }
  if (!use.data.empty()) {
    check<ConfigError>(settings.options.find("data") != nullptr, "--data", "the task ", from.label.task,
                       " does not read data from a file");
    settings.options.set("data", use.data);
  }
  std::vector<std::string> later;
  for (const Option& option : settings.options.all())
    if (option.is_later()) later.push_back("--" + option.name());
  for (const auto& [name, text] : use.flags) {
    const bool known = std::find(later.begin(), later.end(), "--" + name) != later.end();
    check<ConfigError>(known, "--" + name, "is not a setting that a trained ", from.label.task, " takes",
                       later.empty() ? "" : fmt::format("; it takes {}", fmt::join(later, ", ")));
    settings.options.set(name, text);
  }
}

void check_data_are_there(Settings& settings, const Checkpoint& from, const UseRequest& use) {
  const Option* data = settings.options.find("data");
  if (!data || !data->is_text() || !use.data.empty()) return;
  const std::string path = data->value();
  std::error_code unknown;
  if (path.empty() || std::filesystem::exists(path, unknown)) return;
  throw DataError(join("cannot read ", path, ", which ", from.origin, " was trained with: from ",
                       std::filesystem::current_path(unknown).string(),
                       " it is not to be found; name it with --data FILE"));
}

}  // namespace fovea
