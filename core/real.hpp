#pragma once

// The library is built twice, in single and in double precision. The build sets FOVEA_REAL to
// `f32` or `f64`; what depends on the precision lives in the inline namespace of that name, so the
// two builds can stand in one program and nothing that a user writes carries a template argument.
namespace fovea::precision {
using f32 = float;
using f64 = double;
}  // namespace fovea::precision

namespace fovea::inline FOVEA_REAL {

/// The number type of every tensor: `float` in `fovea::f32`, `double` in `fovea::f64`.
using Real = precision::FOVEA_REAL;

}  // namespace fovea::inline FOVEA_REAL
