#include <algorithm>

#include "core/kernels/choose.hpp"
#include "core/recurrent/step_product.hpp"
#include "core/recurrent/walk.hpp"
#include "core/reduce.hpp"

namespace fovea::inline FOVEA_REAL {

using namespace recurrence;

void gru_forward(const Sequences& s, const GruInputs& in, const RecurrentResults& to) {
  const std::size_t H = s.hidden;
  const StepProduct product(in.weight, H, 3 * H, true, s.steps);
  const Walk walk(s, product.laid_out());
  walk.blocks([&](const Block& block) {
    Tensor h = gathered(walk, block, in.hidden, H, H);
    Tensor u = zeros({block.rows, product.stride()});
    Tensor unkept = uninitialized({to.kept.gates ? 0 : block.rows, 4 * H});
    const auto step = [&](std::size_t t, std::size_t live, bool all_start) {
      if (in.hidden || !all_start) product(live, h.data(), false, u.data());
      parallel_for(live, rows_per_range(4 * H), [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          const std::size_t outer = walk.outer(block, r, t);
          Real* gates =
              to.kept.gates ? to.kept.gates + walk.kept(block, r, t) * 4 * H : unkept.data() + r * 4 * H;
          Real* of_h = h.data() + r * H;
          kernels().gru_cell(H, in.inputs + outer * 3 * H, u.data() + r * product.stride(), in.bias, of_h,
                             gates, of_h);
          std::copy_n(of_h, H, to.outputs + outer * H);
        }
      });
    };
    walk.forward(block, step);
    put_back(walk, block, h, H, to.hidden);
  });
  clear_padding(s, H, to.outputs);
}

void gru_backward(const Sequences& s, const GruInputs& in, const RecurrentCotangents& from,
                  const RecurrentGradients& to) {
  const std::size_t H = s.hidden, rows = s.items * s.steps;
  const StepProduct product(in.weight, 3 * H, H, false, s.steps);
  const Walk walk(s, product.laid_out());
  const Tensor zero = zeros({H});
  const Tensor states = states_before(s, from.outputs_value, in.hidden);
  // Beside the inputs' gradient: the product's third gate has another, for r stands between the two.
  Tensor third = uninitialized({rows, H});
  walk.blocks([&](const Block& block) {
    Tensor dh = gathered(walk, block, from.hidden, H, product.stride());
    Tensor dv = uninitialized({block.rows, 3 * H});
    const auto step = [&](std::size_t t, std::size_t live, bool all_start) {
      parallel_for(live, rows_per_range(4 * H), [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          const std::size_t outer = walk.outer(block, r, t), kept = walk.kept(block, r, t);
          Real *of_dv = dv.data() + r * 3 * H, *dx = to.inputs + outer * 3 * H;
          kernels().gru_cell_grad(H, from.gates + kept * 4 * H, states.data() + outer * H,
                                  from.outputs ? from.outputs + outer * H : zero.data(),
                                  dh.data() + r * product.stride(), of_dv, dx + 2 * H);
          std::copy_n(of_dv, 2 * H, dx);
          std::copy_n(of_dv + 2 * H, H, third.data() + outer * H);
        }
      });
      if (to.hidden || !all_start) product(live, dv.data(), true, dh.data());
    };
    walk.backward(block, step);
    if (to.hidden) put_back(walk, block, dh, H, to.hidden);
  });
  clear_padding(s, 3 * H, to.inputs);
  clear_padding(s, H, third.data());
  if (to.bias) {
    Tensor total = uninitialized({3 * H});
    numbers::sum_middle({1, rows, 3 * H}, to.inputs, total.data());
    std::copy_n(total.data(), 2 * H, to.bias);
    numbers::sum_middle({1, rows, H}, third.data(), to.bias + 2 * H);
  }
  if (to.weight) {
    weight_gradient(s, 2 * H, to.inputs, 3 * H, states, to.weight);
    weight_gradient(s, H, third.data(), H, states, to.weight + 2 * H * H);
  }
}

}  // namespace fovea::inline FOVEA_REAL
