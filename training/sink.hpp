#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fovea {

struct Row;
struct Watched;

/// Follows a run: is told what is written to its tables, as it is written, to show it elsewhere.
class RunSink {
 public:
  virtual ~RunSink() = default;
  virtual void row(const Row& row) = 0;
  virtual void watched(const Watched& seen) = 0;
  /// The values of a parameter after an evaluation.
  virtual void parameter(std::uint64_t step, std::string_view path, std::span<const double> values) = 0;
  /// Comes last after each evaluation, under NoGrad: the model is as it was evaluated, with the averages of
  /// its weights where there are any. Whoever asks it something must leave it, and all of the training, as
  /// it is.
  virtual void evaluated(std::uint64_t step) = 0;
};

}  // namespace fovea
