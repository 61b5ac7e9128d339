#include "modules/attention/pattern.hpp"

#include "core/check.hpp"

namespace fovea {

Mask Pattern::mask() const {
  if (is_full()) return {};
  std::vector<Mask> parts;
  if (window > 0) parts.push_back(Mask::window(window / 2, (window - 1) / 2));
  if (stride > 0) parts.push_back(Mask::strided(stride));
  if (block > 0) parts.push_back(Mask::blocks(block));
  if (global > 0) parts.push_back(Mask::first_tokens(global));
  Mask all = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) all = all | parts[i];
  return all;
}

void check_pattern(const Pattern& pattern, std::size_t heads) {
  constexpr std::string_view here = "pattern";
  check<ConfigError>(!pattern.is_full() || (pattern.global == 0 && pattern.heads == 0), here,
                     "global positions and patterned heads need a window, a stride or a block: without one "
                     "every head sees all");
  check<ConfigError>(pattern.heads <= heads, here, pattern.heads, " heads have a pattern, of ", heads,
                     " that there are");
}

}  // namespace fovea
