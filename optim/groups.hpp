#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/param.hpp"

namespace fovea::inline FOVEA_REAL {

/// What holds for the parameters whose path `glob` matches: `*` stands for any letters, also dots, `?` for
/// one.
struct ParamGroup {
  std::string glob;
  double rate = 1;                   // times the learning rate
  std::optional<double> decay = {};  // instead of the optimiser's weight decay
  bool frozen = false;               // never stepped
};

/// `params` with what the groups say of them; a later group overrides an earlier one; frozen ones are left
/// out. ConfigError for a glob that matches nothing.
std::vector<NamedParam> grouped(std::vector<NamedParam> params, std::span<const ParamGroup> groups);

/// True when the whole of `path` fits `glob`.
bool matches(std::string_view glob, std::string_view path);

}  // namespace fovea::inline FOVEA_REAL
