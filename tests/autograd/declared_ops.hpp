#pragma once

#include <set>
#include <string>

namespace fovea {

/// The functions that autograd/ops.hpp declares, by its text: an op that was never linked cannot hide.
std::set<std::string> declared_ops();

}  // namespace fovea
