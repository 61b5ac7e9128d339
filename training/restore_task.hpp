#pragma once

#include <memory>

#include "core/draw.hpp"
#include "training/checkpoint.hpp"
#include "training/restore.hpp"
#include "training/settings.hpp"
#include "training/task.hpp"

// From a checkpoint to the task that it holds. The task has a `Config` with `void describe(Options&)`,
// `static TrainConfig defaults()` and a constructor from Config and seed; where it can be had without the
// data that it was trained on, another from (Config, WithoutData), which reads the file of a setting `test`
// alone.

namespace fovea::inline FOVEA_REAL {

template <class T>
struct SettingsOf final : Settings {
  SettingsOf() {
    train = T::defaults();
    if constexpr (requires { config.preset; }) use_preset(config.preset);
    train.describe(options);
    config.describe(options);
  }
  void use_preset(const std::string& name) override {
    if constexpr (requires { T::use_preset(name, train, config); }) T::use_preset(name, train, config);
  }
  void resolve() override {
    if constexpr (requires { config.resolved(); }) config = config.resolved();
  }
  typename T::Config config;
};

/// The task that a checkpoint holds.
template <class T>
std::unique_ptr<T> restore(const Checkpoint& from, const UseRequest& use) {
  SettingsOf<T> settings;
  read_settings(settings, from, use);
  check_data_are_there(settings, from, use);
  return restored(from, [&] {
    const NoDraws no_draws;
    auto task = std::make_unique<T>(settings.config, settings.train.seed);
    load_new_task(from, *task);
    return task;
  });
}

/// The same, where it can be had without data: with a setting `test` only if it was given this time.
template <class T>
std::unique_ptr<T> restore_without_data(const Checkpoint& from, const UseRequest& use) {
  if constexpr (requires(const typename T::Config& config) { T(config, WithoutData{}); }) {
    constexpr bool answers_data = requires(const T& task) { task.predict_data(true); };
    check<ConfigError>(answers_data || use.data.empty(), "--data", "is not read here: ", T::name,
                       " answers without it");
    SettingsOf<T> settings;
    read_settings(settings, from, use);
    if (answers_data) check_data_are_there(settings, from, use);
    Option* test = settings.options.find("test");
    if (test && !is_given(use.flags, "test")) test->set("", "predict");
    return restored(from, [&] {
      const NoDraws no_draws;
      auto task = std::make_unique<T>(settings.config, WithoutData{});
      load_new_task(from, *task);
      return task;
    });
  } else {
    return restore<T>(from, use);
  }
}

}  // namespace fovea::inline FOVEA_REAL
