#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fovea::events {

/// CRC-32C (Castagnoli), as of RFC 3720.
std::uint32_t crc32c(std::string_view bytes);

/// A TFRecord: u64 length, u32 masked checksum of it, the bytes, u32 masked checksum of them; little-endian.
std::string record(std::string_view bytes);

}  // namespace fovea::events
