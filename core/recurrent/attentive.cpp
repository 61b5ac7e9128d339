#include "core/recurrent/attentive.hpp"

#include <algorithm>
#include <optional>

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

/// body(row) for the rows of a block, spread over the threads where blocks are not: a row of a step passes
/// all keys of its item.
template <class Body>
void each_row(std::size_t rows, const Attention& attention, const Body& body) {
  const std::size_t length = attention.keys * (attention.width + attention.value_width);
  parallel_for(rows, rows_per_range(length), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) body(r);
  });
}

/// The attentions of the items of a block.
template <class OneByOne, class... Rest>
std::vector<std::optional<OneByOne>> attentions(const Block& block, const Attention& attention,
                                                const Rest&... rest) {
  std::vector<std::optional<OneByOne>> all(block.rows);
  each_row(block.rows, attention,
           [&](std::size_t r) { all[r].emplace(attention, block.begin + r, rest...); });
  return all;
}

Sequences sequences_of(std::size_t units, const Attention& attention) {
  return {attention.items, attention.queries, units};
}

}  // namespace

void attentive_lstm_forward(std::size_t units, const AttentiveInputs& in, const AttentiveResults& to) {
  const Sequences s = sequences_of(units, in.attention);
  const std::size_t H = units, A = in.attention.width, C = in.attention.value_width, saw = H + C;
  const StepProduct of_h(Through::outputs, in.weight, H, 4 * H, s.steps);
  const StepProduct of_context(Through::outputs, in.context_weight, C, 4 * H, s.steps);
  const StepProduct to_query(Through::outputs, in.query_weight, H, A, s.steps);
  const Walk walk(s, of_h.laid_out());
  const bool keep = to.kept.seen != nullptr;
  const std::size_t unkept = keep ? 0 : s.items;
  Tensor one_seen = uninitialized({unkept, saw}), one_query = uninitialized({unkept, A});
  const auto seen = keep ? rows_of(to.kept.seen, s, saw) : row_of(one_seen.data(), saw);
  const auto queries = keep ? rows_of(to.kept.queries, s, A) : row_of(one_query.data(), A);
  Attention attention = in.attention;
  attention.query = read(queries);
  const AttentionResults found{.context = behind(seen, H), .rows = to.kept.rows};
  walk.blocks([&](const Block& block) {
    Tensor h = gathered(walk, block, in.hidden, H, H), c = gathered(walk, block, in.cell, H, H);
    Tensor u = zeros({block.rows, of_h.stride()}), query = uninitialized({block.rows, to_query.stride()});
    auto attend = attentions<ForwardOneByOne>(block, attention, found);
    walk.forward(block, [&](std::size_t t, std::size_t rows, bool) {
      to_query(rows, h.data(), H, false, query.data());
      each_row(rows, attention, [&](std::size_t r) {
        const std::size_t outer = walk.outer(block, r, t);
        fetch(in.inputs + outer * 4 * H, 4 * H);
        Real* row = seen.row(block.begin + r, 0, t);
        std::copy_n(h.data() + r * H, H, row);
        std::copy_n(query.data() + r * to_query.stride(), A, queries.row(block.begin + r, 0, t));
        (*attend[r])(t);
        std::copy_n(row + H, C, to.contexts + outer * C);
      });
      of_h(rows, h.data(), H, false, u.data());
      of_context(rows, seen.row(block.begin, 0, t) + H, seen.item_step, true, u.data());
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t outer = walk.outer(block, r, t);
        Real *my_u = u.data() + r * of_h.stride(), *my_h = h.data() + r * H, *my_c = c.data() + r * H;
        Real* next = keep ? to.kept.cells + outer * H : my_c;
        kernels().lstm_cell(H, in.inputs + outer * 4 * H, my_u, my_c,
                            keep ? to.kept.gates + outer * 4 * H : my_u, next, my_h);
        if (next != my_c) std::copy_n(next, H, my_c);
        std::copy_n(my_h, H, to.outputs + outer * H);
      }
    });
    put_back(walk, block, h, H, to.hidden);
    put_back(walk, block, c, H, to.cell);
  });
}

void attentive_lstm_backward(std::size_t units, const AttentiveInputs& in, const AttentiveCotangents& from,
                             const AttentiveGradients& to) {
  const Sequences s = sequences_of(units, in.attention);
  const std::size_t H = units, A = in.attention.width, C = in.attention.value_width, saw = H + C;
  const AttentiveKept& kept = from.kept;
  const StepProduct to_h(Through::cotangents, in.weight, 4 * H, H, s.steps);
  const StepProduct to_context(Through::cotangents, in.context_weight, 4 * H, C, s.steps);
  const StepProduct of_query(Through::cotangents, in.query_weight, A, H, s.steps);
  const Walk walk(s, to_h.laid_out());
  const Tensor zero = zeros({H});
  Tensor dquery = uninitialized({s.rows(), A}), dcontext = uninitialized({s.items, to_context.stride()});
  Tensor unwanted = uninitialized({to.inputs ? 0 : s.rows(), 4 * H});
  Real* d = to.inputs ? to.inputs : unwanted.data();  // of the gates, and so of the inputs
  std::vector<double> v(to.v ? s.items * A : 0);
  Attention attention = in.attention;
  attention.query = read(rows_of(kept.queries, s, A));
  AttentionCotangents cotangents;
  cotangents.context = read(behind(rows_of(kept.seen, s, saw), H));
  cotangents.context_cotangent = read(row_of(dcontext.data(), to_context.stride()));
  cotangents.rows = kept.rows;
  const AttentionGradients gradients{.query = rows_of(dquery.data(), s, A), .key = to.key, .value = to.value};
  walk.blocks([&](const Block& block) {
    Tensor dh = gathered(walk, block, from.hidden, H, to_h.stride());
    Tensor dc = gathered(walk, block, from.cell, H, H);
    Real* of_block = dcontext.data() + block.begin * to_context.stride();
    auto attend = attentions<BackwardOneByOne>(block, attention, cotangents, gradients);
    walk.backward(block, [&](std::size_t t, std::size_t rows, bool) {
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t outer = walk.outer(block, r, t);
        const Real* start = in.cell ? in.cell + (block.begin + r) * H : zero.data();
        const Real* gates = kept.gates + outer * 4 * H;
        kernels().lstm_cell_grad(H, gates, t > 0 ? kept.cells + (outer - 1) * H : start,
                                 kept.cells + outer * H,
                                 from.outputs ? from.outputs + outer * H : zero.data(),
                                 dh.data() + r * to_h.stride(), dc.data() + r * H, d + outer * 4 * H);
        if (t > 0) fetch(gates - 4 * H, 4 * H);
      }
      const std::size_t first = walk.outer(block, 0, t);
      to_context(rows, d + first * 4 * H, s.steps * 4 * H, false, of_block);
      to_h(rows, d + first * 4 * H, s.steps * 4 * H, false, dh.data());
      each_row(rows, attention, [&](std::size_t r) {
        if (from.contexts)
          kernels().add_into(C, from.contexts + walk.outer(block, r, t) * C,
                             of_block + r * to_context.stride());
        (*attend[r])(t);
      });
      of_query(rows, dquery.data() + first * A, s.steps * A, true, dh.data());
    });
    each_row(block.rows, attention,
             [&](std::size_t r) { attend[r]->finish(to.v ? v.data() + (block.begin + r) * A : nullptr); });
    if (to.hidden) put_back(walk, block, dh, H, to.hidden);
    if (to.cell) put_back(walk, block, dc, H, to.cell);
  });
  if (to.v) write_sums(v, A, to.v);
  if (to.weight || to.context_weight) {
    const Tensor turned = weight_gradient(s.rows(), 4 * H, d, saw, kept.seen, saw);
    if (to.weight) turn_back(turned, 0, H, to.weight);
    if (to.context_weight) turn_back(turned, H, C, to.context_weight);
  }
  if (to.query_weight)
    turn_back(weight_gradient(s.rows(), A, dquery.data(), H, kept.seen, saw), 0, H, to.query_weight);
}

}  // namespace fovea::inline FOVEA_REAL
