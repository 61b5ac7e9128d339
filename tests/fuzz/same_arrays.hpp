#pragma once

#include "training/entries.hpp"

namespace fovea::fuzz {

/// Whether two files hold the same arrays, bit for bit, in any order: empty arrays have no place of their
/// own.
inline bool same_arrays(const Entries& one, const Entries& other) {
  if (one.all().size() != other.all().size()) return false;
  for (const Entry& entry : one.all()) {
    const Entry* found = other.find(entry.name);
    if (!found || found->shape != entry.shape || found->values.index() != entry.values.index() ||
        checksum(*found) != checksum(entry))
      return false;
  }
  return true;
}

}  // namespace fovea::fuzz
