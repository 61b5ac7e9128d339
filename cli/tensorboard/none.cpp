#include "cli/tensorboard.hpp"
#include "core/check.hpp"

namespace fovea {

std::unique_ptr<RunSink> tensorboard_sink(const std::filesystem::path&, std::uint64_t, AskPictures) {
  throw ConfigError(
      "--tensorboard: this program was built without Protobuf or libpng; build it where both are installed");
}

}  // namespace fovea
