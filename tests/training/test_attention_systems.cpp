#include <algorithm>

#include <catch2/catch.hpp>

#include "modules/attention/head_settings.hpp"
#include "training/attention_options.hpp"
#include "training/attention_systems.hpp"

using namespace fovea;

TEST_CASE("every attention that a setting can choose is listed", "[training]") {
  const auto is_listed = [](const std::string& option, const std::string& value) {
    return std::ranges::any_of(attention_systems(), [&](const AttentionSystem& system) {
      return system.option == option && (value.empty() || system.value == value);
    });
  };
  for (const std::string& name : attention_or_head_names()) CHECK(is_listed("attention", name));
  for (const std::string& name : hybrid_names()) CHECK(is_listed("hybrid", name));
  AttentionSettings attention;
  HeadSettings heads;
  Options options;
  describe_attention(attention, options, "");
  describe_heads(heads, options);
  for (const std::string& name : options.names()) {
    if (name == "features" || name == "hashes") continue;  // of what another chooses
    INFO(name);
    CHECK(is_listed(name, ""));
  }
  // And nothing that there is not: `heads` and `positions` are the tasks' own.
  for (const AttentionSystem& system : attention_systems()) {
    INFO(system.flags());
    if (system.option == "heads" || system.option == "positions") continue;
    REQUIRE(options.find(system.option));
    if (system.option != "attention" && !system.value.empty())
      CHECK_NOTHROW(options.set(system.option, system.value));
  }
}
