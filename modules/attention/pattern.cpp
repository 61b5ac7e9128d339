#include "modules/attention/pattern.hpp"

#include "core/check.hpp"

namespace fovea {

Mask Pattern::mask() const {
  if (is_full()) return {};
  const std::optional<Mask> rest = beside_stride();
  if (stride == 0) return *rest;
  return rest ? *rest | Mask::strided(stride) : Mask::strided(stride);
}

std::optional<Mask> Pattern::beside_stride() const {
  std::optional<Mask> all;
  const auto add = [&](Mask part) { all = all ? *all | part : std::move(part); };
  if (window > 0) add(Mask::window(window / 2, (window - 1) / 2));
  if (block > 0) add(Mask::blocks(block));
  if (global > 0) add(Mask::first_tokens(global));
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
