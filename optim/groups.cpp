#include "optim/groups.hpp"

namespace fovea::inline FOVEA_REAL {

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

std::vector<NamedParam> grouped(std::vector<NamedParam> params, std::span<const ParamGroup> groups) {
  std::vector<bool> frozen(params.size(), false);
  for (const ParamGroup& group : groups) {
    bool used = false;
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (!matches(group.glob, params[i].path)) continue;
      used = true;
      params[i].rate = group.rate;
      params[i].decay = group.decay;
      frozen[i] = group.frozen;
    }
    check<ConfigError>(used, "parameter group", "\"", group.glob, "\" matches none of the ", params.size(),
                       " parameters", params.empty() ? "" : ", the first of which is ",
                       params.empty() ? "" : params.front().path);
  }
  std::vector<NamedParam> kept;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!frozen[i]) kept.push_back(std::move(params[i]));
  }
  return kept;
}

}  // namespace fovea::inline FOVEA_REAL
