#include "optim/groups.hpp"

#include "optim/glob.hpp"

namespace fovea::inline FOVEA_REAL {

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
