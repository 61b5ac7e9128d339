#pragma once

#include "autograd/record.hpp"
#include "core/elementwise.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL {

/// An elementwise op of one input whose gradient is computed from that input.
inline Variable from_input(const Op& op, const Variable& x, UnaryKernel forward, PairKernel backward) {
  return record(op, numbers::map(forward, x.value()), Wrt{x, [x = x.shared(), backward](const Tensor& dy) {
                                                            return numbers::map2(backward, *x, dy);
                                                          }});
}

/// The same of one whose gradient is computed from its output.
inline Variable from_output(const Op& op, const Variable& x, UnaryKernel forward, PairKernel backward) {
  Value y = share(numbers::map(forward, x.value()));
  return record(op, y, Wrt{x, [y, backward](const Tensor& dy) { return numbers::map2(backward, *y, dy); }});
}

}  // namespace fovea::inline FOVEA_REAL
