#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/ops.hpp"

namespace fovea::inline FOVEA_REAL {

/// One call of an op on inputs that lie off its kinks and edges.
struct OpSample {
  std::vector<Tensor> inputs;
  std::function<Variable(std::span<const Variable>)> call;
};

/// An example with a known answer.
struct OpExample {
  std::function<Variable()> call;
  Tensor expected;
};

/// A call that must throw, and words that its message must hold.
struct OpMisuse {
  std::function<void()> call;
  std::vector<std::string> words;
};

/// What the suite knows of one op. Every function that ops.hpp declares has a row.
struct OpRow {
  std::string name;
  std::vector<OpSample> samples;
  std::vector<OpExample> examples;
  std::vector<OpMisuse> misuses;
  std::string records = {};  // the op that is recorded last, where that is another
  bool joined = false;       // an op of several results: samples join them by reshape and concat
};

const std::vector<OpRow>& op_table();

}  // namespace fovea::inline FOVEA_REAL
