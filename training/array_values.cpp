#include "training/array_values.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie in memory");

// IEEE 754 binary16. Subnormal numbers are m · 2⁻²⁴.
float from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
                      fraction = bits & 0x3ff;
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -small : small;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <class T>
std::vector<T> copied(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class Widen>
std::vector<float> widened(std::string_view bytes, const Widen& widen) {
  std::vector<float> values;
  for (const std::uint16_t half : copied<std::uint16_t>(bytes)) values.push_back(widen(half));
  return values;
}

template <class T>
std::vector<T> transposed_values(const std::vector<T>& values, const std::vector<std::uint64_t>& shape) {
  // Where the next value of the result comes from: its axes are ours from the last to the first, so it is our
  // first axis that moves fastest.
  std::vector<std::uint64_t> strides(shape.size(), 1), at(shape.size(), 0);
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  std::vector<T> result;
  result.reserve(values.size());
  std::uint64_t from = 0;
  while (result.size() < values.size()) {
    result.push_back(values[from]);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      from += strides[axis];
      if (++at[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
  return result;
}

}  // namespace

Entry::Values values_of(std::string_view bytes, ElementType type) {
  if (type == ElementType::f64) return copied<double>(bytes);
  if (type == ElementType::f32) return copied<float>(bytes);
  return type == ElementType::f16 ? widened(bytes, from_half) : widened(bytes, from_bfloat);
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

std::optional<std::uint64_t> volume_of(const std::vector<std::uint64_t>& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::uint64_t length : shape) {
    if (count > std::numeric_limits<std::uint64_t>::max() / length) return {};
    count *= length;
  }
  return count;
}

Entry transposed(const Entry& array) {
  Entry result{array.name, {array.shape.rbegin(), array.shape.rend()}, {}};
  result.values =
      std::visit([&](const auto& values) { return Entry::Values(transposed_values(values, array.shape)); },
                 array.values);
  return result;
}

}  // namespace fovea
