#include <algorithm>
#include <optional>

#include "core/kernels/choose.hpp"
#include "core/recurrent/step_product.hpp"
#include "core/recurrent/walk.hpp"

namespace fovea::inline FOVEA_REAL {

using namespace recurrence;

void lstm_forward(const Sequences& s, const RecurrentInputs& in, const RecurrentResults& to) {
  const std::size_t H = s.hidden, I = in.width, saw = H + I;
  const StepProduct product(Through::outputs, in.weight, H, 4 * H, s.steps);
  std::optional<StepProduct> of_x;
  if (in.x) of_x.emplace(Through::outputs, in.input_weight, I, 4 * H, s.steps);
  const Walk walk(s, product.laid_out());
  const Tensor zero = zeros({4 * H});
  const Real* bias = in.bias ? in.bias : zero.data();
  walk.blocks([&](const Block& block) {
    Tensor h = gathered(walk, block, in.hidden, H, H), c = gathered(walk, block, in.cell, H, H);
    Tensor u = zeros({block.rows, product.stride()});
    Tensor unkept = uninitialized({to.kept.seen ? 0 : block.rows, saw});
    const auto step = [&](std::size_t t, std::size_t live, bool all_start) {
      const std::size_t kept = walk.kept(block, 0, t);
      Real* seen = to.kept.seen ? to.kept.seen + kept * saw : unkept.data();
      for (std::size_t r = 0; r < live; ++r) {
        Real* row = std::copy_n(h.data() + r * H, H, seen + r * saw);
        if (in.x) {
          std::copy_n(in.x + walk.outer(block, r, t) * I, I, row);
        } else {
          fetch(in.inputs + walk.outer(block, r, t) * 4 * H, 4 * H);
        }
      }
      const bool from_zero = all_start && !in.hidden;
      if (!from_zero) product(live, seen, saw, false, u.data());
      if (in.x) (*of_x)(live, seen + H, saw, !from_zero, u.data());
      parallel_for(live, rows_per_range(4 * H), [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          const std::size_t outer = walk.outer(block, r, t);
          Real *of_u = u.data() + r * product.stride(), *of_h = h.data() + r * H, *of_c = c.data() + r * H;
          Real* next = to.kept.cells ? to.kept.cells + (kept + r) * H : of_c;
          kernels().lstm_cell(H, in.x ? bias : in.inputs + outer * 4 * H, of_u, of_c,
                              to.kept.gates ? to.kept.gates + (kept + r) * 4 * H : of_u, next, of_h);
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

void lstm_backward(const Sequences& s, const RecurrentInputs& in, const RecurrentCotangents& from,
                   const RecurrentGradients& to) {
  const std::size_t H = s.hidden, I = in.width;
  const RecurrentKept& kept = from.kept;
  const StepProduct product(Through::cotangents, in.weight, 4 * H, H, s.steps);
  std::optional<StepProduct> to_x;
  if (to.x) to_x.emplace(Through::cotangents, in.input_weight, 4 * H, I, s.steps);
  const Walk walk(s, product.laid_out());
  const Tensor zero = zeros({H});
  Tensor d = uninitialized({s.rows(), 4 * H});
  BiasGradient bias(walk, 4 * H, to.bias != nullptr);
  walk.blocks([&](const Block& block) {
    Tensor dh = gathered(walk, block, from.hidden, H, product.stride());
    Tensor dc = gathered(walk, block, from.cell, H, H);
    Tensor dx = uninitialized({to.x ? block.rows : 0, to.x ? to_x->stride() : 0});
    const auto before = [&](std::size_t r, std::size_t t) -> const Real* {
      if (!walk.first(block, r, t)) return kept.cells + walk.kept(block, r, walk.before(t)) * H;
      return in.cell ? in.cell + walk.item(block, r) * H : zero.data();
    };
    const auto step = [&](std::size_t t, std::size_t live, bool all_start) {
      const std::size_t row = walk.kept(block, 0, t);
      Real* of_d = d.data() + row * 4 * H;
      parallel_for(live, rows_per_range(4 * H), [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          const std::size_t outer = walk.outer(block, r, t);
          kernels().lstm_cell_grad(H, kept.gates + (row + r) * 4 * H, before(r, t),
                                   kept.cells + (row + r) * H,
                                   from.outputs ? from.outputs + outer * H : zero.data(),
                                   dh.data() + r * product.stride(), dc.data() + r * H, of_d + r * 4 * H);
          if (to.inputs) std::copy_n(of_d + r * 4 * H, 4 * H, to.inputs + outer * 4 * H);
        }
      });
      bias.add(block, live, of_d);
      if (!all_start) {
        const std::size_t next = walk.before(t), rows = walk.live_at(block, next, live);
        fetch(kept.gates + walk.kept(block, 0, next) * 4 * H, rows * 4 * H);
        for (std::size_t r = 0; from.outputs && r < rows; ++r)
          fetch(from.outputs + walk.outer(block, r, next) * H, H);
      }
      if (to.hidden || !all_start) product(live, of_d, 4 * H, false, dh.data());
      if (!to.x) return;
      (*to_x)(live, of_d, 4 * H, false, dx.data());
      for (std::size_t r = 0; r < live; ++r)
        std::copy_n(dx.data() + r * to_x->stride(), I, to.x + walk.outer(block, r, t) * I);
    };
    walk.backward(block, step);
    if (to.hidden) put_back(walk, block, dh, H, to.hidden);
    if (to.cell) put_back(walk, block, dc, H, to.cell);
  });
  if (to.inputs) clear_padding(s, 4 * H, to.inputs);
  if (to.x) clear_padding(s, I, to.x);
  bias.write(to.bias);
  if (!to.weight && !to.input_weight) return;
  const Tensor turned = weight_gradient(s.rows(), 4 * H, d.data(), H + I, kept.seen, H + I);
  if (to.weight) turn_back(turned, 0, H, to.weight);
  if (to.input_weight) turn_back(turned, H, I, to.input_weight);
}

}  // namespace fovea::inline FOVEA_REAL
