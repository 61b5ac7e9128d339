#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "training/entries.hpp"

// Values as other programs' files hold them: little-endian, one after the other.

namespace fovea {

/// What numbers of a file are read as.
enum class ElementType { f64, f32, f16, bf16 };

/// f64 and f32 as they are, the shorter ones as f32, which holds them exactly.
Entry::Values values_of(std::string_view bytes, ElementType type);

/// The number that up to 8 bytes are.
std::uint64_t little_endian(std::string_view bytes);

/// The lowest `size` bytes of a number, at most 8.
std::string little_endian(std::uint64_t value, std::size_t size);

/// How many values a shape has, or nothing when that is no 64-bit number.
std::optional<std::uint64_t> volume_of(const std::vector<std::uint64_t>& shape);

/// The array with its axes in reverse order, as numpy's `.T`: a matrix is transposed.
Entry transposed(const Entry& array);

}  // namespace fovea
