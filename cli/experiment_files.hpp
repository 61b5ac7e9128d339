#pragma once

#include <filesystem>

#include "experiments/experiment.hpp"

namespace fovea {

/// Makes the folder where there is none, and checks that what write_pages replaces there is what it wrote
/// before: Error where the folder cannot be made, ConfigError where a file is somebody's own.
void check_pages(const experiments::Account& account, const std::filesystem::path& folder);

/// Writes NAME.csv, NAME.svg and NAME.md into a folder, and its README.md anew, the verdicts of all
/// experiments whose figures are there, unless it is somebody's own.
void write_pages(const experiments::Account& account, const experiments::Figures& figures,
                 const std::filesystem::path& folder);

}  // namespace fovea
