#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "cli/commands.hpp"
#include "cli/inspect_diff.hpp"
#include "cli/print.hpp"
#include "training/arrays.hpp"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

// path → shape, count and checksum of what stands under `prefix`.
Json arrays(const Entries& entries, std::string_view prefix) {
  Json object = Json::object();
  for (const Entry& entry : entries.all()) {
    if (!entry.name.starts_with(prefix)) continue;
    const std::size_t count = std::visit([](const auto& values) { return values.size(); }, entry.values);
    object[entry.name.substr(prefix.size())] = {
        {"shape", entry.shape}, {"count", count}, {"kind", kind_name(entry)}, {"xxh3", checksum(entry)}};
  }
  return object;
}

Json config_of(const Checkpoint& from) {
  std::ostringstream text;
  text << toml::json_formatter(toml::parse(from.label.config));
  return Json::parse(text.str());
}

Json description(const Checkpoint& from) {
  Json object{{"task", from.label.task}, {"step", from.position.step}};
  if (from.position.has_best)
    object["best"] = {{"value", from.position.best}, {"step", from.position.best_step}};
  object["config"] = config_of(from);
  object["parameters"] = arrays(from.entries, "param/");
  object["buffers"] = arrays(from.entries, "buffer/");
  return object;
}

std::string table_of(const Json& arrays) {
  std::string text;
  std::size_t total = 0;
  for (const auto& [path, facts] : arrays.items()) {
    const auto count = facts["count"].get<std::size_t>();
    total += count;
    text += fmt::format("{:<40} {:>16} {:>10}  {}\n", path, facts["shape"].dump(), count,
                        facts["xxh3"].get<std::string>());
  }
  return text + fmt::format("{} parameters\n", total);
}

std::string text_of(const Checkpoint& from) {
  std::string text = fmt::format("{}: {} after step {}\n\n{}\n", from.origin, from.label.task,
                                 from.position.step, from.label.config);
  return text + table_of(arrays(from.entries, "param/"));
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  struct Arguments {
    std::string file, other;
    bool json = false;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "inspect",
      "show what a file holds, or compare two: exit code 0 when they are equal, 1 when they differ");
  command->add_option("file", given->file, "a .fovea, .safetensors or .npz file")->required();
  command->add_option(
      "other", given->other,
      "another one: all that differs is listed by path. Two checkpoints are compared in parameters, "
      "buffers, optimiser state, settings and position; else it is the arrays");
  command->add_flag("--json", given->json,
                    "one JSON object: parameters (path → shape, count, xxh3), config, step; of two files "
                    "equal, entries, differences");
  command->callback([given, &action] {
    action = [given] {
      if (!given->other.empty()) return inspect_difference(given->file, given->other, given->json);
      if (is_exchange_file(given->file)) {
        const Json all = arrays(read_arrays(given->file), "");
        print(given->json ? Json{{"parameters", all}}.dump(2, ' ', false, Json::error_handler_t::replace)
                          : table_of(all));
        return 0;
      }
      const Checkpoint from = read_checkpoint(given->file);
      print(given->json ? description(from).dump(2, ' ', false, Json::error_handler_t::replace)
                        : text_of(from));
      return 0;
    };
  });
}

}  // namespace fovea
