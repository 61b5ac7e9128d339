#pragma once

#include <cstddef>

namespace fovea {

/// Calls of operator new in this program so far. Elements of tensors are not among them: they lie in blocks
/// of core/memory.hpp, which are handed out again and again without asking the system.
std::size_t allocations();

}  // namespace fovea
