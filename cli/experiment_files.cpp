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

void check_pages(const experiments::Account& account, const fs::path& folder) {
  std::error_code reason;
  fs::create_directories(folder, reason);
  if (reason || !fs::is_directory(folder))
    throw Error("cannot make the folder " + folder.string() + (reason ? ": " + reason.message() : ""));
  for (const auto& [ending, head] : {std::pair(".md", "# " + account.name + ": "),
                                     std::pair(".csv", "# command: fovea experiment " + account.name)}) {
    const fs::path file = folder / (account.name + ending);
    check<ConfigError>(!fs::exists(file) || read_file(file).starts_with(head), "--pages", file.string(),
                       " was not written by this experiment, and would be replaced; name another folder");
  }
}

void write_pages(const experiments::Account& account, const experiments::Figures& figures,
                 const fs::path& folder) {
  replace_file(folder / (account.name + ".csv"), to_csv(figures));
  replace_file(folder / (account.name + ".svg"), to_svg(account, figures));
  replace_file(folder / (account.name + ".md"), to_page(account, figures));
  std::vector<experiments::Told> told;
  for (const experiments::Experiment& other : experiments::experiments())
    add_figures(folder / (other.account.name + ".csv"), other.account, told);
  const std::string index = experiments::to_index(told), head = index.substr(0, index.find('\n'));
  const fs::path file = folder / "README.md";
  if (fs::exists(file) && !read_file(file).starts_with(head))
    fmt::print(stderr, "fovea: {} is not of experiments, and stays as it is\n", file.string());
  else
    replace_file(file, index);
}

}  // namespace fovea
