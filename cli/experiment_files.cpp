#include "cli/experiment_files.hpp"

#include <fmt/format.h>

#include "core/check.hpp"
#include "training/file.hpp"

namespace fovea {
namespace fs = std::filesystem;

namespace {

// Those of another experiment that cannot be read are no reason to lose these.
void add_figures(const fs::path& file, const experiments::Account& account,
                 std::vector<experiments::Told>& told) {
  if (!fs::exists(file)) return;
  try {
    told.push_back({&account, experiments::read_figures(file)});
  } catch (const DataError& error) {
    fmt::print(stderr, "fovea: README.md leaves {} out: {}\n", account.name, error.what());
  }
}

}  // namespace

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
    add_figures(folder / (other.account.name + ".csv"), other.account, told);
  replace_file(folder / "README.md", experiments::to_index(told));
}

}  // namespace fovea
