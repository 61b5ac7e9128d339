#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "training/arrays.hpp"
#include "training/import.hpp"
#include "training/name_map.hpp"

namespace fovea {

void add_import(CLI::App& app, Action& action) {
  struct Arguments {
    std::string file, into, out, map;
    std::vector<std::string> globs;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("import", "put a file's arrays in place of a checkpoint's, by path");
  command->footer(
      "All parameters and buffers must be there with the right shape, or nothing is written. The result "
      "evaluates, "
      "predicts, exports, and a new run can start from it (--init-from); no training goes on from it, for "
      "the "
      "optimiser's state was of other weights and is left out.");
  command->add_option("file", given->file, "a .safetensors, .npz or .fovea file")->required();
  command->add_option("--into", given->into, "the checkpoint, a .fovea file")->required();
  command->add_option("-o,--out", given->out,
                      "FILE.fovea to write; without it the checkpoint itself is replaced");
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
      const NameMap map = given->map.empty() ? NameMap() : NameMap::read(given->map);
      const Checkpoint into = read_checkpoint(given->into);
      const Entries arrays = map.to_ours(read_arrays(given->file));
      write_imported(out, into, arrays, given->file, given->globs);
      fmt::print(stderr, "imported {} into {}\n", given->file, out);
      return 0;
    };
  });
}

}  // namespace fovea
