#pragma once

#include <filesystem>
#include <string>

namespace fovea::experiments {

/// Writes the first lines of a file into a folder, and returns where: data for a rehearsal, where reading all
/// of them would take longer than everything else.
std::string excerpt(const std::filesystem::path& of, std::size_t lines, const std::filesystem::path& folder);

}  // namespace fovea::experiments
