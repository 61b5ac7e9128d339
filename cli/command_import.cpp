#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "training/arrays.hpp"
#include "training/import.hpp"
#include "training/name_map.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

// A run that finds other weights in its checkpoints cannot go on with its training.
void check_not_of_run(const std::filesystem::path& checkpoint) {
  std::error_code reason;  // then it cannot be read either
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(std::filesystem::absolute(checkpoint).parent_path(), reason);
  const bool of_run = folder.filename() == "checkpoints" &&
                      std::filesystem::exists(folder.parent_path() / "run.json", reason);
  check<ConfigError>(!of_run, "import", checkpoint.string(),
                     " belongs to a run, which could not go on from what is imported; -o NEW.fovea writes "
                     "another file");
}

void warn(const std::string& file, const std::vector<NotFinite>& arrays) {
  std::vector<std::string> counts;
  for (const auto& [path, count, of] : arrays)
    counts.push_back(fmt::format("{} ({} of {})", path, count, of));
  if (!counts.empty())
    fmt::print(stderr, "warning: {} holds values that are not finite: {}\n", file, list(counts));
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  struct Arguments {
    std::string file, into, out, map;
    std::vector<std::string> globs;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("import", "put a file's arrays in place of a checkpoint's, by path");
  command->footer(
      "All parameters and buffers must be there with the right shape, or nothing is written. The result "
      "evaluates, predicts, exports, and a new run can start from it (--init-from); no training goes on from "
      "it, for the optimiser's state was of other weights and is left out.");
  command->add_option("file", given->file, "a .safetensors, .npz or .fovea file")->required();
  command->add_option("--into", given->into, "the checkpoint, a .fovea file")->required();
  command->add_option(
      "-o,--out", given->out,
      "FILE.fovea to write; without it the checkpoint itself is replaced, unless it is a run's");
  command->add_option("--map", given->map,
                      "TOML file with lines \"their.name\" = \"our.path\" (docs/exchange.md)");
  command
      ->add_option("--match", given->globs,
                   "import only paths that fit this glob; may be given several times")
      ->allow_extra_args(false);
  command->callback([given, &action] {
    action = [given] {
      const std::string& out = given->out.empty() ? given->into : given->out;
      check<ConfigError>(out.ends_with(".fovea"), "import", out, " has another ending than .fovea");
      if (given->out.empty()) check_not_of_run(given->into);
      const NameMap map = given->map.empty() ? NameMap() : NameMap::read(given->map);
      const Checkpoint into = read_checkpoint(given->into, Reading::to_predict);
      const Arrays arrays = map.to_ours(read_arrays(given->file));
      warn(given->file, write_imported(out, into, arrays, given->file, given->globs));
      fmt::print(stderr, "imported {} into {}\n", given->file, out);
      return 0;
    };
  });
}

}  // namespace fovea
