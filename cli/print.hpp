#pragma once

#include <string>

namespace fovea {

/// Writes a result to stdout, ending its line, and sees that it arrives. Error when it does not (a full
/// disk).
void print(const std::string& text);

/// A word as a shell reads it.
std::string shell_quoted(const std::string& text);

}  // namespace fovea
