#include "core/check.hpp"
#include "fuzz/fuzz.hpp"
#include "training/config.hpp"

namespace fovea::fuzz {
namespace {

std::string read(std::string_view bytes) {
  TrainConfig config;
  Options options;
  config.describe(options);
  options.read_toml(bytes, "file");
  return options.toml();
}

}  // namespace

void run(std::string_view bytes) {
  const auto settings = answer<ConfigError>([&] { return read(bytes); });
  if (settings) require(read(*settings) == *settings, "settings that were written are read as others");
}

}  // namespace fovea::fuzz
