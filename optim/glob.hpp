#pragma once

#include <string_view>

namespace fovea {

/// True when the whole of `path` fits `glob`: `*` stands for any letters, also dots and none, `?` for one.
bool matches(std::string_view glob, std::string_view path);

}  // namespace fovea
