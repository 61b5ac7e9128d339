#pragma once

#include <map>
#include <string>
#include <string_view>

#include "training/unread.hpp"

// The format of the Python library `safetensors`: the size of a header (u64, little-endian), the header
// (JSON: name → dtype, shape, data_offsets), then the arrays' little-endian bytes.

namespace fovea {

/// f32 and f64 arrays as the bytes of such a file, in their order, beginning at a multiple of 8 bytes.
/// `about` becomes its `__metadata__`. Error for another kind of array, or one of that
/// name.
std::string write_safetensors(const Entries& arrays, const std::map<std::string, std::string>& about);

/// The arrays of such a file, in the order of their bytes: F32 and F64 as they are, F16 and BF16 as f32;
/// other types are not read. Nothing is trusted: DataError `file: tensor: …` unless every array lies within
/// the file and has as many bytes as its shape says, none overlaps another, no byte is left over, and no name
/// is there twice.
Arrays read_safetensors(std::string_view bytes, const std::string& file);

}  // namespace fovea
