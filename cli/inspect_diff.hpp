#pragma once

#include <string>

namespace fovea {

/// Prints what differs between two files that `inspect` reads, and returns the exit code: 0 when nothing
/// does, else 1. Two checkpoints are compared in all that they hold; else the arrays are, by path; those of
/// types that are not read by their type, shape and checksum.
int inspect_difference(const std::string& a, const std::string& b, bool json);

}  // namespace fovea
