#pragma once

#include <vector>

#include "autograd/variable.hpp"

namespace fovea::inline FOVEA_REAL {

namespace detail {
void note(const Op& op, std::vector<Variable> inputs, std::vector<Variable> results);
}

/// While one is alive, every call of an op on this thread is written down: what it took and what it made,
/// whether a graph records it or not. All of these values stay in memory: for finding out where a run went
/// wrong. Of several, the youngest writes.
class Trace {
 public:
  struct Call {
    const Op* op;
    std::vector<Variable> inputs;  // in the op's order; one that was left out is undefined
    std::vector<Variable> results;
  };

  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// In the order in which they ended, so after those that made their inputs.
  const std::vector<Call>& calls() const { return calls_; }

 private:
  friend void detail::note(const Op&, std::vector<Variable>, std::vector<Variable>);
  Trace* before_;
  std::vector<Call> calls_;
};

}  // namespace fovea::inline FOVEA_REAL
