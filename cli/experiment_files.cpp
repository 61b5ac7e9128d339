#include "cli/experiment_files.hpp"

#include "core/check.hpp"
#include "training/file.hpp"

namespace fovea {
namespace fs = std::filesystem;

void write_pages(const experiments::Account& account, const experiments::Figures& figures,
                 const fs::path& folder) {
  std::error_code reason;
  fs::create_directories(folder, reason);
  if (reason) throw Error("cannot create " + folder.string() + ": " + reason.message());
  replace_file(folder / (account.name + ".csv"), to_csv(figures));
  replace_file(folder / (account.name + ".svg"), to_svg(account, figures));
  replace_file(folder / (account.name + ".md"), to_page(account, figures));
  std::vector<experiments::Told> told;
  for (const experiments::Experiment& other : experiments::experiments())
    if (const fs::path file = folder / (other.account.name + ".csv"); fs::exists(file))
      told.push_back({&other.account, experiments::read_figures(file)});
  replace_file(folder / "README.md", experiments::to_index(told));
}

}  // namespace fovea
