#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace fovea::report {

/// Weights as a page has them: {most, steps}.
inline std::vector<double> unpacked(const nlohmann::json& packed) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0, count = 0;
  for (const char c : packed["steps"].get<std::string>()) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count & 255));
  }
  std::vector<double> weights;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    weights.push_back((bytes[i] + 256 * bytes[i + 1]) * packed["most"].get<double>() / 65535);
  return weights;
}

}  // namespace fovea::report
