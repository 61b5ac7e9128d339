#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "core/check.hpp"
#include "training/checkpoint_file.hpp"
#include "training/file.hpp"
#include "training/safetensors.hpp"

namespace fovea {

void add_export(CLI::App& app, Action& action) {
  struct Arguments {
    std::string checkpoint, out;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("export", "write a checkpoint's arrays for other programs");
  command->add_option("checkpoint", given->checkpoint, "a .fovea file")->required();
  command->add_option("-o,--out", given->out, "FILE.safetensors: parameters and buffers by their paths")
      ->required();
  command->callback([given, &action] {
    action = [given] {
      check<ConfigError>(given->out.ends_with(".safetensors"), "export", given->out,
                         " has an unknown ending; expected FILE.safetensors");
      const Checkpoint from = read_checkpoint(given->checkpoint);
      Entries arrays = from.entries.under("param/");
      arrays.add_under("", from.entries.under("buffer/"));
      replace_file(given->out,
                   write_safetensors(arrays, {{"task", from.label.task}, {"config", from.label.config}}));
      fmt::print(stderr, "{} arrays in {}\n", arrays.all().size(), given->out);
      return 0;
    };
  });
}

}  // namespace fovea
