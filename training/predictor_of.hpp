#pragma once

#include <utility>

#include "autograd/variable.hpp"
#include "training/predictor.hpp"
#include "training/restore_task.hpp"

// A Predictor of a task. Beside what training/restore_task.hpp asks for, the task has a `name` and one of
//
//     std::string predict(const std::string& line, bool json) const;
//     std::vector<std::string> predict(std::span<const std::string> lines, bool json) const;
//     std::string predict_data(bool json) const;   // an answer to the data as a whole
//
// They are called from several threads at once, so what they change is theirs alone. What is costly and
// serves all answers is made before, in
//
//     void prepare();                              // optional: once, when the task is loaded

namespace fovea::inline FOVEA_REAL {

template <class T>
inline constexpr bool AnswersData = requires(const T& task) {
  task.predict_data(true);
};

/// What a checkpoint of the task answers. ConfigError for a task that makes no predictions.
template <class T>
Predictor predictor_of(const Checkpoint& from, const UseRequest& use) {
  const auto ready = [&]() -> std::shared_ptr<const T> {
    std::unique_ptr<T> task = restore_without_data<T>(from, use);
    if constexpr (requires { task->prepare(); }) task->prepare();
    return task;
  };
  if constexpr (AnswersData<T>) {
    return Predictor(T::name, {}, [task = ready()](As as) {
      const NoGrad no_graph;
      return task->predict_data(as == As::json);
    });
  } else if constexpr (requires(const T& task, std::span<const std::string> lines) {
                         task.predict(lines, true);
                       }) {
    const auto answer = [task = ready()](std::span<const std::string> lines, As as) {
      const NoGrad no_graph;
      return task->predict(lines, as == As::json);
    };
    return Predictor(T::name, answer, {});
  } else if constexpr (requires(const T& task, const std::string& line) { task.predict(line, true); }) {
    const auto answer = [task = ready()](std::span<const std::string> lines, As as) {
      const NoGrad no_graph;
      std::vector<std::string> answers;
      for (const std::string& line : lines) answers.push_back(task->predict(line, as == As::json));
      return answers;
    };
    return Predictor(T::name, answer, {});
  } else {
    throw ConfigError(join("[predict] the task ", T::name, " makes no predictions"));
  }
}

/// The same from a file: a task of one's own in another program. CheckpointError for a file that is none, or
/// is of another task.
template <class T>
Predictor load_predictor_of(const std::filesystem::path& file, const UseRequest& use = {}) {
  const Checkpoint from = read_checkpoint(file, Reading::to_predict);
  check<CheckpointError>(from.label.task == T::name, "predict", from.origin, " is of the task ",
                         from.label.task, ", not ", T::name);
  return predictor_of<T>(from, use);
}

}  // namespace fovea::inline FOVEA_REAL
