#include "predict/predict.hpp"

#include <optional>

#include "examples/all.hpp"
#include "training/predictor_of.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

template <class... T>
Predictor predictor_among(TaskList<T...>, const Checkpoint& from, const UseRequest& use) {
  std::optional<Predictor> found;
  ((from.label.task == T::name && (found = predictor_of<T>(from, use), true)) || ...);
  if (found) return *std::move(found);
  throw ConfigError(join("[predict] ", from.origin, " is of the task ", from.label.task,
                         ", which does not come with Fovea; load_predictor_of<Task> loads one of your own"));
}

}  // namespace

Predictor load_predictor(const std::filesystem::path& checkpoint, const Given& settings) {
  UseRequest use;
  for (const auto& [name, value] : settings) {
    if (name == "data") {
      use.data = value;
    } else {
      use.flags.emplace_back(name, value);
    }
  }
  return predictor_among(AllTasks{}, read_checkpoint(checkpoint, Reading::to_predict), use);
}

}  // namespace fovea::inline FOVEA_REAL
