#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/shape.hpp"

namespace fovea {

/// Every error of this library. The message names what was called, the argument, each shape
/// involved and the rule. Nothing is changed when one is thrown.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct ShapeError : Error {
  using Error::Error;
};
struct ConfigError : Error {
  using Error::Error;
};
/// Bad input data. Where it came from a file, the message starts with `file:line:column: ` or `file:line: `.
struct DataError : Error {
  using Error::Error;
};
struct CheckpointError : Error {
  using Error::Error;
};
/// A value or a gradient stopped being finite.
struct DivergedError : Error {
  using Error::Error;
};

namespace internal {
inline void write(std::ostream& out, const Shape& shape) { out << to_string(shape); }
template <class T>
void write(std::ostream& out, const T& part) {
  out << part;
}
}  // namespace internal

/// Joins its arguments to one text; shapes are written like `[2, 3]`.
template <class... Parts>
std::string join(const Parts&... parts) {
  std::ostringstream out;
  (internal::write(out, parts), ...);
  return out.str();
}

/// Throws `E("[where] parts…")` unless `holds`. `where` is an op or anything else with a name.
template <class E = ShapeError, class... Parts>
void check(bool holds, std::string_view where, const Parts&... parts) {
  if (!holds) [[unlikely]]
    throw E(join("[", where, "] ", parts...));
}

}  // namespace fovea
