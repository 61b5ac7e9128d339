#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "training/entries.hpp"

namespace fovea {

/// An array of a type that is not read, like a counter: what its file says of it. It may be there as long as
/// nobody needs its values.
struct UnreadArray {
  std::string name;
  std::string type;  // as the file writes it: `<i8`, `I64`
  std::vector<std::uint64_t> shape;
  std::string checksum;  // of its bytes, as that of an entry
};

/// All arrays of a file.
struct Arrays {
  Entries read;
  std::vector<UnreadArray> unread;
};

}  // namespace fovea
