#pragma once

#include <string>
#include <string_view>

#include "training/unread.hpp"

// numpy's .npz: a ZIP file with a member `NAME.npy` for each array.

namespace fovea {

/// f32 and f64 arrays as the bytes of such a file, not compressed, as numpy.savez writes it. Equal arrays
/// make equal bytes. Error for another kind of array, or a name with a NUL, which would end there.
std::string write_npz(const Entries& arrays);

/// The arrays of such a file in its order, also of numpy.savez_compressed: `<f8` and `<f4` as they are, `<f2`
/// as f32, in C or Fortran order; other types are not read. Nothing is trusted: DataError `file: array: …`
/// for a member that is no array, is there twice, is cut off or damaged, or whose size is not its shape's or
/// more than its compressed bytes can hold.
Arrays read_npz(std::string_view bytes, const std::string& file);

}  // namespace fovea
