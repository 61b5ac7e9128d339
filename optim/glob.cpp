#include "optim/glob.hpp"

#include <algorithm>

namespace fovea {

bool matches(std::string_view glob, std::string_view path) {
  // After a mismatch, the last * takes one letter more: no other choice needs to be tried again.
  std::size_t g = 0, p = 0, star = std::string_view::npos, resume = 0;
  while (p < path.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = p;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == path[p])) {
      ++g, ++p;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      p = ++resume;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

bool is_chosen(std::string_view path, std::span<const std::string> globs) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(),
                                      [&](const std::string& glob) { return matches(glob, path); });
}

}  // namespace fovea
