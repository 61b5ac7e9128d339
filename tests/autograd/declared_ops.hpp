#pragma once

#include <set>
#include <string>

namespace fovea {

/// The functions that autograd/ops.hpp and the headers beside it declare, by their text: an op that was never
/// linked cannot hide.
std::set<std::string> declared_ops();

}  // namespace fovea
