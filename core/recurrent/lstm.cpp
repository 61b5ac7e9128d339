#include <algorithm>

#include "core/kernels/choose.hpp"
#include "core/recurrent/step_product.hpp"
#include "core/recurrent/walk.hpp"

namespace fovea::inline FOVEA_REAL {

using namespace recurrence;

void lstm_forward(const Sequences& s, const LstmInputs& in, const RecurrentResults& to) {
  const std::size_t H = s.hidden;
  const StepProduct product(in.weight, H, 4 * H, true, s.steps);
  const Walk walk(s, product.laid_out());
  walk.blocks([&](const Block& block) {
    Tensor h = gathered(walk, block, in.hidden, H, H), c = gathered(walk, block, in.cell, H, H);
    Tensor u = zeros({block.rows, product.stride()});
    const auto step = [&](std::size_t t, std::size_t live, bool all_start) {
      if (in.hidden || !all_start) product(live, h.data(), false, u.data());
      parallel_for(live, rows_per_range(4 * H), [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          const std::size_t outer = walk.outer(block, r, t), kept = walk.kept(block, r, t);
          Real *of_u = u.data() + r * product.stride(), *of_h = h.data() + r * H, *of_c = c.data() + r * H;
          Real* next = to.kept.cells ? to.kept.cells + kept * H : of_c;
          kernels().lstm_cell(H, in.inputs + outer * 4 * H, of_u, of_c,
                              to.kept.gates ? to.kept.gates + kept * 4 * H : of_u, next, of_h);
          if (next != of_c) std::copy_n(next, H, of_c);
          std::copy_n(of_h, H, to.outputs + outer * H);
        }
      });
    };
    walk.forward(block, step);
    put_back(walk, block, h, H, to.hidden);
    put_back(walk, block, c, H, to.cell);
  });
  clear_padding(s, H, to.outputs);
}

void lstm_backward(const Sequences& s, const LstmInputs& in, const RecurrentCotangents& from,
                   const RecurrentGradients& to) {
  const std::size_t H = s.hidden;
  const StepProduct product(in.weight, 4 * H, H, false, s.steps);
  const Walk walk(s, product.laid_out());
  const Tensor zero = zeros({H});
  walk.blocks([&](const Block& block) {
    Tensor dh = gathered(walk, block, from.hidden, H, product.stride());
    Tensor dc = gathered(walk, block, from.cell, H, H);
    Tensor d = uninitialized({block.rows, 4 * H});
    const auto before = [&](std::size_t r, std::size_t t) {
      if (!walk.first(block, r, t)) return from.cells + walk.kept(block, r, walk.before(t)) * H;
      return in.cell ? in.cell + walk.item(block, r) * H : zero.data();
    };
    const auto step = [&](std::size_t t, std::size_t live, bool all_start) {
      parallel_for(live, rows_per_range(4 * H), [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          const std::size_t outer = walk.outer(block, r, t), kept = walk.kept(block, r, t);
          Real* of_d = d.data() + r * 4 * H;
          kernels().lstm_cell_grad(H, from.gates + kept * 4 * H, before(r, t), from.cells + kept * H,
                                   from.outputs ? from.outputs + outer * H : zero.data(),
                                   dh.data() + r * product.stride(), dc.data() + r * H, of_d);
          std::copy_n(of_d, 4 * H, to.inputs + outer * 4 * H);
        }
      });
      if (to.hidden || !all_start) product(live, d.data(), false, dh.data());
    };
    walk.backward(block, step);
    if (to.hidden) put_back(walk, block, dh, H, to.hidden);
    if (to.cell) put_back(walk, block, dc, H, to.cell);
  });
  clear_padding(s, 4 * H, to.inputs);
  if (!to.weight) return;
  const Tensor states = states_before(s, from.outputs_value, in.hidden);
  weight_gradient(s, 4 * H, to.inputs, 4 * H, states, to.weight);
}

}  // namespace fovea::inline FOVEA_REAL
