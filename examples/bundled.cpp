#include "examples/bundled.hpp"

#include <cstdlib>
#include <sstream>
#include <vector>

namespace fovea::inline FOVEA_REAL {
namespace {

std::vector<std::filesystem::path> folders() {
  const char* named = std::getenv("FOVEA_EXAMPLES");
  if (named && *named) return {named};
  std::vector<std::filesystem::path> all;
  const std::filesystem::path sources = FOVEA_EXAMPLES_FOLDER;  // empty in a package
  if (!sources.empty()) all.push_back(sources);
  std::error_code no_such_link;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", no_such_link);
  if (!no_such_link) all.push_back(program.parent_path().parent_path() / "share/fovea/examples");
  const char* listed = std::getenv("XDG_DATA_DIRS");
  std::istringstream shares(listed && *listed ? listed : "/usr/local/share:/usr/share");
  for (std::string share; std::getline(shares, share, ':');)
    if (!share.empty()) all.push_back(std::filesystem::path(share) / "fovea/examples");
  return all;
}

}  // namespace

std::filesystem::path bundled(const std::string& name) {
  std::filesystem::path file;
  for (const std::filesystem::path& folder : folders()) {
    file = folder / name;
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) break;
  }
  return file;
}

}  // namespace fovea::inline FOVEA_REAL
