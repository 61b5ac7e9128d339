#include "core/recurrent/attentive.hpp"

#include <algorithm>

#include "core/attention/one_by_one.hpp"
#include "core/kernels/choose.hpp"
#include "core/recurrent/step_product.hpp"
#include "core/recurrent/walk.hpp"

namespace fovea::inline FOVEA_REAL {

using namespace recurrence;
using streaming::BackwardOneByOne;
using streaming::ForwardOneByOne;

namespace {

/// Rows of [items, steps].
template <class T>
Matrices<T> rows_of(T* data, const Sequences& s, std::size_t width) {
  return {data, s.steps * width, 0, width};
}
/// A row for each item, which all of its steps share.
template <class T>
Matrices<T> row_of(T* data, std::size_t width) {
  return {data, width, 0, 0};
}
template <class T>
Matrices<T> behind(const Matrices<T>& rows, std::size_t offset) {
  return {rows.data + offset, rows.item_step, 0, rows.row_step};
}
Matrices<const Real> read(const Matrices<Real>& rows) {
  return {rows.data, rows.item_step, 0, rows.row_step};
}

/// The attentions of the items of a block.
template <class OneByOne, class... Rest>
std::vector<OneByOne> attentions(const Block& block, const Attention& attention, const Rest&... rest) {
  std::vector<OneByOne> all;
  all.reserve(block.rows);
  for (std::size_t r = 0; r < block.rows; ++r) all.emplace_back(attention, block.begin + r, rest...);
  return all;
}

}  // namespace

std::size_t query_step(const Attention& attention) { return StepProduct::stride_of(attention.width); }

void attentive_lstm_forward(const Sequences& s, const AttentiveInputs& in, const AttentiveResults& to) {
  const std::size_t H = s.hidden, C = in.attention.value_width, saw = H + C;
  const StepProduct product(Through::outputs, in.weight, H, 4 * H, s.steps);
  const StepProduct of_context(Through::outputs, in.context_weight, C, 4 * H, s.steps);
  const StepProduct to_query(Through::outputs, in.query_weight, H, in.attention.width, s.steps);
  const Walk walk(s, product.laid_out());
  const bool keep = to.kept.seen != nullptr;
  const std::size_t step = to_query.stride(), unkept = keep ? 0 : s.items;
  Tensor one_seen = uninitialized({unkept, saw}), one_query = uninitialized({unkept, step});
  const auto seen = keep ? rows_of(to.kept.seen, s, saw) : row_of(one_seen.data(), saw);
  const auto queries = keep ? rows_of(to.kept.queries, s, step) : row_of(one_query.data(), step);
  Attention attention = in.attention;
  attention.query = read(queries);
  const AttentionResults found{.context = behind(seen, H), .rows = to.kept.rows};
  walk.blocks([&](const Block& block) {
    Tensor h = gathered(walk, block, in.hidden, H, H), c = gathered(walk, block, in.cell, H, H);
    Tensor u = zeros({block.rows, product.stride()}), query = uninitialized({block.rows, step});
    std::vector<ForwardOneByOne> attend = attentions<ForwardOneByOne>(block, attention, found);
    walk.forward(block, [&](std::size_t t, std::size_t rows, bool) {
      to_query(rows, h.data(), H, false, query.data());
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t outer = walk.outer(block, r, t);
        fetch(in.inputs + outer * 4 * H, 4 * H);
        Real* now = seen.row(block.begin + r, 0, t);
        std::copy_n(h.data() + r * H, H, now);
        std::copy_n(query.data() + r * step, step, queries.row(block.begin + r, 0, t));
        attend[r](t);
        std::copy_n(now + H, C, to.contexts + outer * C);
      }
      const Real* now = seen.row(block.begin, 0, t);
      product(rows, h.data(), H, false, u.data());
      of_context(rows, now + H, seen.item_step, true, u.data());
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t outer = walk.outer(block, r, t);
        Real *of_u = u.data() + r * product.stride(), *of_h = h.data() + r * H, *of_c = c.data() + r * H;
        Real* next = keep ? to.kept.cells + outer * H : of_c;
        kernels().lstm_cell(H, in.inputs + outer * 4 * H, of_u, of_c,
                            keep ? to.kept.gates + outer * 4 * H : of_u, next, of_h);
        if (next != of_c) std::copy_n(next, H, of_c);
        std::copy_n(of_h, H, to.outputs + outer * H);
      }
    });
    put_back(walk, block, h, H, to.hidden);
    put_back(walk, block, c, H, to.cell);
  });
}

void attentive_lstm_backward(const Sequences& s, const AttentiveInputs& in, const AttentiveCotangents& from,
                             const AttentiveGradients& to) {
  const std::size_t H = s.hidden, A = in.attention.width, C = in.attention.value_width, saw = H + C;
  const AttentiveKept& kept = from.kept;
  const StepProduct product(Through::cotangents, in.weight, 4 * H, H, s.steps);
  const StepProduct to_context(Through::cotangents, in.context_weight, 4 * H, C, s.steps);
  const StepProduct of_query(Through::cotangents, in.query_weight, A, H, s.steps);
  const Walk walk(s, product.laid_out());
  const Tensor zero = zeros({H});
  Tensor dquery = uninitialized({s.rows(), A}), dcontext = uninitialized({s.items, to_context.stride()});
  Tensor unwanted = uninitialized({to.inputs ? 0 : s.rows(), 4 * H});
  Real* d = to.inputs ? to.inputs : unwanted.data();  // of the gates, and so of the inputs
  std::vector<double> v(to.v ? s.items * A : 0);
  Attention attention = in.attention;
  attention.query = read(rows_of(kept.queries, s, query_step(in.attention)));
  AttentionCotangents cotangents;
  cotangents.context = read(behind(rows_of(kept.seen, s, saw), H));
  cotangents.context_cotangent = read(row_of(dcontext.data(), to_context.stride()));
  cotangents.rows = kept.rows;
  const AttentionGradients gradients{.query = rows_of(dquery.data(), s, A), .key = to.key, .value = to.value};
  walk.blocks([&](const Block& block) {
    Tensor dh = gathered(walk, block, from.hidden, H, product.stride());
    Tensor dc = gathered(walk, block, from.cell, H, H);
    Real* of_context = dcontext.data() + block.begin * to_context.stride();
    auto attend = attentions<BackwardOneByOne>(block, attention, cotangents, gradients);
    walk.backward(block, [&](std::size_t t, std::size_t rows, bool) {
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t outer = walk.outer(block, r, t);
        const Real* first = in.cell ? in.cell + (block.begin + r) * H : zero.data();
        const Real* gates = kept.gates + outer * 4 * H;
        kernels().lstm_cell_grad(H, gates, t > 0 ? kept.cells + (outer - 1) * H : first,
                                 kept.cells + outer * H,
                                 from.outputs ? from.outputs + outer * H : zero.data(),
                                 dh.data() + r * product.stride(), dc.data() + r * H, d + outer * 4 * H);
        if (t > 0) fetch(gates - 4 * H, 4 * H);
      }
      const std::size_t first = walk.outer(block, 0, t);
      to_context(rows, d + first * 4 * H, s.steps * 4 * H, false, of_context);
      product(rows, d + first * 4 * H, s.steps * 4 * H, false, dh.data());
      for (std::size_t r = 0; r < rows; ++r) {
        if (from.contexts)
          kernels().add_into(C, from.contexts + walk.outer(block, r, t) * C,
                             of_context + r * to_context.stride());
        attend[r](t);
      }
      of_query(rows, dquery.data() + first * A, s.steps * A, true, dh.data());
    });
    for (std::size_t r = 0; r < block.rows; ++r)
      attend[r].finish(to.v ? v.data() + (block.begin + r) * A : nullptr);
    if (to.hidden) put_back(walk, block, dh, H, to.hidden);
    if (to.cell) put_back(walk, block, dc, H, to.cell);
  });
  for (std::size_t k = 0; to.v && k < A; ++k) {
    double total = 0;
    for (std::size_t i = k; i < v.size(); i += A) total += v[i];
    to.v[k] = static_cast<Real>(total);
  }
  if (to.weight || to.context_weight) {
    const Tensor turned = weight_gradient(s.rows(), 4 * H, d, saw, kept.seen, saw);
    if (to.weight) turn_back(turned, 0, H, to.weight);
    if (to.context_weight) turn_back(turned, H, C, to.context_weight);
  }
  if (to.query_weight)
    turn_back(weight_gradient(s.rows(), A, dquery.data(), H, kept.seen, saw), 0, H, to.query_weight);
}

}  // namespace fovea::inline FOVEA_REAL
