#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fovea {

/// How an answer is written: for people, or as JSON, one object for each line.
enum class As { text, json };

/// A trained model that answers. Nothing changes it any more, so several threads may ask one at once and get
/// the bits that they would get one after the other. Copies are cheap and share the model.
class Predictor {
 public:
  /// From lines to an answer for each.
  using Lines = std::function<std::vector<std::string>(std::span<const std::string> lines, As)>;
  /// The answer to a task's data as a whole.
  using Data = std::function<std::string(As)>;

  /// Of a task that has one of the two; the other is empty. Both are called from several threads at once.
  Predictor(std::string task, Lines lines, Data data);

  /// The name of its task.
  const std::string& task() const { return task_; }
  /// Whether it answers from its data, a table that is continued, not line by line.
  bool answers_data() const { return static_cast<bool>(data_); }

  /// Answers one line. DataError for a line that cannot be read; ConfigError where the task answers from its
  /// data.
  std::string operator()(const std::string& line, As as = As::text) const;
  /// Answers many at once, which is faster; numbers agree with those of each alone to rounding. An error of
  /// any of them is an error of all.
  std::vector<std::string> operator()(std::span<const std::string> lines, As as = As::text) const;
  /// Answers from the data, which are read anew. DataError where they cannot be; ConfigError where the task
  /// answers line by line.
  std::string from_data(As as = As::text) const;

 private:
  std::string task_;
  Lines lines_;
  Data data_;
};

}  // namespace fovea
