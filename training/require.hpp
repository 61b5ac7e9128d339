#pragma once

#include <string>

#include "core/check.hpp"

// Errors whose place is known only further out: what finds one says what is wrong, and who called it adds
// where.

namespace fovea {

/// Throws `E("parts…")` unless `holds`.
template <class E = DataError, class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) throw E(join(parts...));
}

/// What `work()` returns. An error `E` of it then begins with `where: `.
template <class E, class Work>
auto within(const std::string& where, const Work& work) {
  try {
    return work();
  } catch (const E& error) {
    throw E(where + ": " + error.what());
  }
}

}  // namespace fovea
