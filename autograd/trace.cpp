#include "autograd/trace.hpp"

#include "autograd/record.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

thread_local Trace* writing = nullptr;

}  // namespace

Trace::Trace() : before_(writing) { writing = this; }
Trace::~Trace() { writing = before_; }

bool detail::tracing() { return writing != nullptr; }

void detail::note(const Op& op, std::vector<Variable> inputs, std::vector<Variable> results) {
  writing->calls_.push_back({&op, std::move(inputs), std::move(results)});
}

}  // namespace fovea::inline FOVEA_REAL
