#include "cli/tensorboard.hpp"
#include "core/check.hpp"

namespace fovea {

std::unique_ptr<RunSink> tensorboard_sink(const std::filesystem::path&, std::uint64_t) {
  throw ConfigError(
      "--tensorboard: this program was built without Protobuf; build it where Protobuf is installed");
}

}  // namespace fovea
