#pragma once

#include <functional>
#include <string>

#include "training/unread.hpp"

// numpy's .npy, one array: `\x93NUMPY`, version, size of a header, the header (a Python dict: descr,
// fortran_order, shape), then the values.

namespace fovea {

/// An f32 or f64 array as the bytes of such a file: version 1.0, little-endian, in C order. Error for another
/// kind.
std::string write_npy(const Entry& array);

/// Adds the array of such a file of `size` bytes, whose next bytes `take` returns, to `arrays` as `name`.
/// `<f8` and `<f4` as they are, `<f2` as f32, Fortran order brought into C order; any other type is not read.
/// Where the type tells how many bytes the header's shape needs, nothing is taken that it does not. DataError
/// that says what is wrong.
void read_npy(std::uint64_t size, const std::function<std::string(std::uint64_t)>& take,
              const std::string& name, Arrays& arrays);

}  // namespace fovea
