#pragma once

#include <string>

#include "cli/tasks.hpp"

namespace CLI {
class App;
}

namespace fovea {

/// Adds a flag to `app` for each option; those that are given are appended to `flags`, which has to live as
/// long as `app`.
void add_flags(CLI::App& app, const Options& options, Given& flags);
/// Adds the settings of these tasks that are for a trained model, too.
void add_later_flags(CLI::App& app, std::span<const TaskEntry> tasks, Given& flags);

/// CLI11's complaint about `app` as a ConfigError, with a suggestion where a word is not known.
[[noreturn]] void complain(const CLI::App& app, const std::string& message);

}  // namespace fovea
