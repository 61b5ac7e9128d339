#include "core/check.hpp"
#include "fuzz/fuzz.hpp"
#include "training/config.hpp"
#include "training/name_map.hpp"

namespace fovea::fuzz {
namespace {

std::string read(std::string_view bytes) {
  TrainConfig config;
  Options options;
  config.describe(options);
  options.read_toml(bytes, "file");
  return options.toml();
}

// A map of names is TOML too, and says which rows of which arrays go where.
void apply_map(std::string_view bytes) {
  const auto map = answer<ConfigError>([&] { return NameMap::parse(bytes, "file"); });
  if (!map) return;
  Entries arrays;
  arrays.add("layers.0.weight", {4, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  arrays.add("layers.1.weight", {2}, std::vector<float>{1, 2});
  arrays.add("a", {}, std::vector<double>{1});
  answer<Error>([&] { return map->to_ours(arrays); });
  answer<Error>([&] { return map->to_theirs(arrays); });
}

}  // namespace

void run(std::string_view bytes) {
  const auto settings = answer<ConfigError>([&] { return read(bytes); });
  if (settings) require(read(*settings) == *settings, "settings that were written are read as others");
  apply_map(bytes);
}

}  // namespace fovea::fuzz
