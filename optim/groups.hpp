#pragma once

#include <span>
#include <vector>

#include "autograd/param.hpp"
#include "optim/param_group.hpp"

namespace fovea::inline FOVEA_REAL {

/// `params` with what the groups say of them; a later group overrides an earlier one; frozen ones are left
/// out. ConfigError for a glob that matches nothing.
std::vector<NamedParam> grouped(std::vector<NamedParam> params, std::span<const ParamGroup> groups);

}  // namespace fovea::inline FOVEA_REAL
