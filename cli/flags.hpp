#pragma once

#include <string>
#include <utility>
#include <vector>

#include "training/options.hpp"

namespace CLI {
class App;
}

namespace fovea {

using Flags = std::vector<std::pair<std::string, std::string>>;

/// Adds a flag to `app` for each option; those that are given are appended to `flags`, which has to live as
/// long as `app`.
void add_flags(CLI::App& app, const Options& options, Flags& flags);

/// CLI11's complaint about `app` as a ConfigError, with a suggestion where a word is not known.
[[noreturn]] void complain(const CLI::App& app, const std::string& message);

}  // namespace fovea
