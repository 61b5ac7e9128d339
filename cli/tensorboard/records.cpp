#include "cli/tensorboard/records.hpp"

#include <array>
#include <bit>

#include "training/array_values.hpp"

namespace fovea::events {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  constexpr std::uint32_t reversed_polynomial = 0x82f63b78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? reversed_polynomial : 0);
    table[byte] = sum;
  }
  return table;
}

// A checksum of bytes that hold checksums would be weak; so those that are stored are turned and shifted.
std::uint32_t masked(std::uint32_t sum) { return std::rotr(sum, 15) + 0xa282ead8; }

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = make_table();
  std::uint32_t sum = ~std::uint32_t{0};
  for (const char byte : bytes) sum = sum >> 8 ^ table[(sum ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~sum;
}

std::string record(std::string_view bytes) {
  const std::string length = little_endian(bytes.size(), 8);
  return length + little_endian(masked(crc32c(length)), 4) + std::string(bytes) +
         little_endian(masked(crc32c(bytes)), 4);
}

}  // namespace fovea::events
