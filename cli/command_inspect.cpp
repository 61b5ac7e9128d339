#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "cli/commands.hpp"
#include "cli/inspect_diff.hpp"
#include "cli/print.hpp"
#include "training/array_values.hpp"
#include "training/arrays.hpp"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

// What is told of an array.
struct Row {
  std::string path;
  std::vector<std::uint64_t> shape;
  std::uint64_t count = 0;
  std::string kind, checksum;
};

// Of what stands under `prefix`.
std::vector<Row> rows_of(const Entries& entries, std::string_view prefix) {
  std::vector<Row> rows;
  for (const Entry& entry : entries.all()) {
    if (!entry.name.starts_with(prefix)) continue;
    const std::uint64_t count = std::visit([](const auto& values) { return values.size(); }, entry.values);
    rows.push_back({entry.name.substr(prefix.size()), entry.shape, count, std::string(kind_name(entry)),
                    checksum(entry)});
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<UnreadArray>& arrays) {
  std::vector<Row> rows;
  for (const UnreadArray& array : arrays)
    rows.push_back({array.name, array.shape, volume_of(array.shape).value_or(0), array.type, array.checksum});
  return rows;
}

// path → shape, count, kind and checksum.
Json object_of(const std::vector<Row>& rows) {
  Json::object_t object;
  for (const Row& row : rows) {
    Json facts{{"shape", row.shape}, {"count", row.count}, {"kind", row.kind}, {"xxh3", row.checksum}};
    object.emplace_back(row.path, std::move(facts));  // by [] all keys before would be compared
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
  object["parameters"] = object_of(rows_of(from.entries, "param/"));
  object["buffers"] = object_of(rows_of(from.entries, "buffer/"));
  return object;
}

std::string line_of(const Row& row) {
  return fmt::format("{:<40} {:>16} {:>10}  {}", row.path, fmt::format("[{}]", fmt::join(row.shape, ",")),
                     row.count, row.checksum);
}

std::string table_of(const std::vector<Row>& rows) {
  std::string text;
  std::uint64_t total = 0;
  for (const Row& row : rows) {
    total += row.count;
    text += line_of(row) + "\n";
  }
  return text + fmt::format("{} parameters\n", total);
}

std::string text_of(const Checkpoint& from) {
  std::string text = fmt::format("{}: {} after step {}\n\n{}\n", from.origin, from.label.task,
                                 from.position.step, from.label.config);
  return text + table_of(rows_of(from.entries, "param/"));
}

std::string dumped(const Json& object) { return object.dump(2, ' ', false, Json::error_handler_t::replace); }

std::string text_of(const Arrays& file) {
  std::string text = table_of(rows_of(file.read, ""));
  for (const Row& row : rows_of(file.unread)) text += line_of(row) + "  is of " + row.kind + ", not read\n";
  return text;
}

Json description(const Arrays& file) {
  Json object{{"parameters", object_of(rows_of(file.read, ""))}};
  if (!file.unread.empty()) object["unread"] = object_of(rows_of(file.unread));
  return object;
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
        const Arrays file = read_arrays(given->file);
        print(given->json ? dumped(description(file)) : text_of(file));
        return 0;
      }
      const Checkpoint from = read_checkpoint(given->file);
      print(given->json ? dumped(description(from)) : text_of(from));
      return 0;
    };
  });
}

}  // namespace fovea
