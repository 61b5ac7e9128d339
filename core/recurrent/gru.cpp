#include <algorithm>

#include "core/kernels/choose.hpp"
#include "core/recurrent/step_product.hpp"
#include "core/recurrent/walk.hpp"

namespace fovea::inline FOVEA_REAL {

using namespace recurrence;

void gru_forward(const Sequences& s, const RecurrentInputs& in, const RecurrentResults& to) {
  const std::size_t H = s.hidden;
  const StepProduct product(Through::outputs, in.weight, H, 3 * H, s.steps);
  const Walk walk(s, product.laid_out());
  walk.blocks([&](const Block& block) {
    Tensor h = gathered(walk, block, in.hidden, H, H);
    Tensor u = zeros({block.rows, product.stride()});
    Tensor unkept = uninitialized({to.kept.gates ? 0 : block.rows, 4 * H});
    const auto step = [&](std::size_t t, std::size_t live, bool all_start) {
      const std::size_t kept = walk.kept(block, 0, t);
      for (std::size_t r = 0; r < live; ++r) fetch(in.inputs + walk.outer(block, r, t) * 3 * H, 3 * H);
      if (in.hidden || !all_start) product(live, h.data(), H, false, u.data());
      parallel_for(live, rows_per_range(4 * H), [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          const std::size_t outer = walk.outer(block, r, t);
          Real* of_h = h.data() + r * H;
          if (to.kept.seen) std::copy_n(of_h, H, to.kept.seen + (kept + r) * H);
          kernels().gru_cell(H, in.inputs + outer * 3 * H, u.data() + r * product.stride(), in.bias, of_h,
                             to.kept.gates ? to.kept.gates + (kept + r) * 4 * H : unkept.data() + r * 4 * H,
                             of_h);
          std::copy_n(of_h, H, to.outputs + outer * H);
        }
      });
    };
    walk.forward(block, step);
    put_back(walk, block, h, H, to.hidden);
  });
  clear_padding(s, H, to.outputs);
}

void gru_backward(const Sequences& s, const RecurrentInputs& in, const RecurrentCotangents& from,
                  const RecurrentGradients& to) {
  const std::size_t H = s.hidden;
  const StepProduct product(Through::cotangents, in.weight, 3 * H, H, s.steps);
  const Walk walk(s, product.laid_out());
  const Tensor zero = zeros({H});
  Tensor d = uninitialized({s.rows(), 3 * H});  // of the product; the inputs' is another in the third gate
  BiasGradient bias(walk, 3 * H, to.bias != nullptr);
  walk.blocks([&](const Block& block) {
    Tensor dh = gathered(walk, block, from.hidden, H, product.stride());
    Tensor unwanted = uninitialized({to.inputs ? 0 : H});
    const auto step = [&](std::size_t t, std::size_t live, bool all_start) {
      const std::size_t row = walk.kept(block, 0, t);
      Real* of_d = d.data() + row * 3 * H;
      for (std::size_t r = 0; r < live; ++r) {
        const std::size_t outer = walk.outer(block, r, t);
        Real *mine = of_d + r * 3 * H, *dx = to.inputs ? to.inputs + outer * 3 * H : nullptr;
        kernels().gru_cell_grad(H, from.kept.gates + (row + r) * 4 * H, from.kept.seen + (row + r) * H,
                                from.outputs ? from.outputs + outer * H : zero.data(),
                                dh.data() + r * product.stride(), mine, dx ? dx + 2 * H : unwanted.data());
        if (dx) std::copy_n(mine, 2 * H, dx);
      }
      bias.add(block, live, of_d);
      if (!all_start) {
        const std::size_t next = walk.before(t), rows = walk.live_at(block, next, live);
        fetch(from.kept.gates + walk.kept(block, 0, next) * 4 * H, rows * 4 * H);
      }
      if (to.hidden || !all_start) product(live, of_d, 3 * H, true, dh.data());
    };
    walk.backward(block, step);
    if (to.hidden) put_back(walk, block, dh, H, to.hidden);
  });
  if (to.inputs) clear_padding(s, 3 * H, to.inputs);
  bias.write(to.bias);
  if (to.weight) turn_back(weight_gradient(s.rows(), 3 * H, d.data(), H, from.kept.seen, H), 0, H, to.weight);
}

}  // namespace fovea::inline FOVEA_REAL
