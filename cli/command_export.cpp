#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "training/arrays.hpp"
#include "training/name_map.hpp"

namespace fovea {

void add_export(CLI::App& app, Action& action) {
  struct Arguments {
    std::string checkpoint, out, map;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("export", "write a checkpoint's arrays for other programs");
  command->add_option("checkpoint", given->checkpoint, "a .fovea file")->required();
  command
      ->add_option("-o,--out", given->out,
                   "FILE.safetensors or FILE.npz: parameters and buffers by their paths")
      ->required();
  command->add_option(
      "--map", given->map,
      "TOML file with lines \"their.name\" = \"our.path\", as import takes it (docs/exchange.md)");
  command->callback([given, &action] {
    action = [given] {
      check_writable_ending(given->out);
      const NameMap map = given->map.empty() ? NameMap() : NameMap::read(given->map);
      const Checkpoint from = read_checkpoint(given->checkpoint, Reading::to_predict);
      const Entries arrays = map.to_theirs(arrays_of(from));
      write_arrays(given->out, arrays, {{"task", from.label.task}, {"config", from.label.config}});
      fmt::print(stderr, "{} arrays in {}\n", arrays.all().size(), given->out);
      return 0;
    };
  });
}

}  // namespace fovea
