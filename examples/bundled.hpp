#pragma once

#include <filesystem>
#include <string>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL {

/// Where a file is that comes with Fovea, like `cities/data/cities.tsv`. It is looked for in the folder that
/// the environment variable FOVEA_EXAMPLES names, and nowhere else where it is set; then in the source tree
/// of this build, in `../share/fovea/examples` beside the program's folder, and in `fovea/examples` of each
/// of XDG_DATA_DIRS
/// (/usr/local/share and /usr/share). Where none has it, it is the last of these: who opens it says that it
/// is not there.
std::filesystem::path bundled(const std::string& name);

}  // namespace fovea::inline FOVEA_REAL
