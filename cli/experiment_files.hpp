#pragma once

#include <filesystem>

#include "experiments/experiment.hpp"

namespace fovea {

/// Writes NAME.csv, NAME.svg and NAME.md into a folder, and its README.md anew: the verdicts of all
/// experiments whose figures are there.
void write_pages(const experiments::Account& account, const experiments::Figures& figures,
                 const std::filesystem::path& folder);

}  // namespace fovea
