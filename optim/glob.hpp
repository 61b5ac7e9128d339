#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fovea {

/// True when the whole of `path` fits `glob`: `*` stands for any letters, also dots and none, `?` for one.
bool matches(std::string_view glob, std::string_view path);

/// True when one of `globs` does, or when there are none.
bool is_chosen(std::string_view path, std::span<const std::string> globs);

}  // namespace fovea
