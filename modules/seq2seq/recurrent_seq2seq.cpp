#include "modules/seq2seq/recurrent_seq2seq.hpp"

#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// [B, D] → [B, 1, D]
Variable as_sequence(const Variable& x) { return reshape(x, {x.shape()[0], 1, x.shape()[1]}); }
Variable without_time(const Variable& x) { return reshape(x, {x.shape()[0], x.shape()[2]}); }

}  // namespace

RecurrentSeq2Seq::RecurrentSeq2Seq(const Seq2SeqSettings& s, Rng& rng)
    : source(s.source_vocabulary, s.width, rng, Real(0.1), 0),
      target(s.target_vocabulary, s.width, rng, Real(0.1), 0),
      encoder(cell_named(s.model), s.width, s.width, rng, {s.layers, true, s.dropout}),
      memory(2 * s.width, s.width, rng),
      start(2 * s.width, s.layers * s.width, rng),
      attention(make_attention(s.attention, {s.width, s.width, s.width, s.width}, rng)),
      readout(3 * s.width, s.width, rng),
      cell_(cell_named(s.model)),
      dropout_(s.dropout) {
  for (std::size_t i = 0; i < s.layers; ++i)
    decoder.emplace_back(cell_, i == 0 ? 2 * s.width : s.width, s.width, rng);
  if (s.tied) {
    out_bias = Param(zeros({s.target_vocabulary}), Param::Decay::no);
  } else {
    out.emplace(s.width, s.target_vocabulary, rng);
  }
}

DecoderMemory RecurrentSeq2Seq::encode(const Padded& sources, State& first, Pass& pass) const {
  const RecurrentResult read = dropout_.drops(pass)
                                   ? encoder(dropout_(source(sources.ids), pass), pass, sources.lengths)
                                   : encoder(source, sources.ids, pass, sources.lengths);
  const Variable values = memory(dropout_(read.outputs, pass));
  // The last layer's states, [2, B, width], side by side.
  const Variable& hidden = read.state.hidden;
  const std::size_t items = sources.items(), width = encoder.hidden, all = hidden.shape()[0];
  const Variable last = concat({reshape(slice(hidden, 0, all - 2, all - 1), {items, width}),
                                reshape(slice(hidden, 0, all - 1, all), {items, width})},
                               1);
  const Variable states = tanh(start(last));
  for (std::size_t i = 0; i < decoder.size(); ++i) {
    first.hidden.push_back(slice(states, 1, i * width, (i + 1) * width));
    first.cell.emplace_back();  // zero
  }
  return {attention.prepare(values), values, Mask::key_lengths(sources.lengths)};
}

RecurrentSeq2Seq::Step RecurrentSeq2Seq::step(const Variable& token, const DecoderMemory& read, State& state,
                                              Pass& pass) const {
  const Variable context =
      attention(as_sequence(state.hidden.back()), read.prepared, read.values, pass, {.mask = read.mask})
          .context;
  Variable x = concat({as_sequence(token), context}, 2);
  for (std::size_t i = 0; i < decoder.size(); ++i) {
    if (i > 0) x = dropout_(x, pass);
    const Recurrence result = decoder[i](cell_, x, state.hidden[i], state.cell[i], {});
    state.hidden[i] = result.hidden;
    state.cell[i] = result.cell;
    x = result.outputs;
  }
  return {without_time(x), without_time(context), token};
}

// All steps as one op, where it knows the layers and the score, and nobody looks at single steps.
bool RecurrentSeq2Seq::at_once(const Pass& pass) const {
  return decoder.size() == 1 && cell_ == Cell::lstm && !pass.observations && attention.plain_additive();
}

Variable RecurrentSeq2Seq::logits(const Variable& outputs, const Variable& contexts, const Variable& tokens,
                                  Pass& pass) const {
  const int last = static_cast<int>(outputs.rank()) - 1;
  const Variable read = dropout_(tanh(readout(concat({outputs, contexts, tokens}, last))), pass);
  return out ? (*out)(read) : linear(read, target.table, out_bias);
}

Variable RecurrentSeq2Seq::forward(const Padded& sources, const Padded& inputs, Pass& pass,
                                   double own) const {
  State state;
  const DecoderMemory read = encode(sources, state, pass);
  const std::size_t items = inputs.items(), time = inputs.ids.shape.at(1);
  check(items == sources.items(), "seq2seq", "there are ", sources.items(), " sources and ", items,
        " targets; expected one for each");
  // Dropout of known tokens is drawn at once, whichever way the steps are then gone through.
  const bool known = own == 0;
  const Variable all = known ? token(inputs.ids, pass) : Variable();
  if (known && at_once(pass)) {
    const auto gates_of = [&](const Variable& weight, const Variable& bias) {
      return dropout_.drops(pass) ? linear(all, weight, bias) : target.projected(inputs.ids, weight, bias);
    };
    const Recurrence y =
        all_steps(decoder[0], *attention.plain_additive(), gates_of, read, state.hidden[0], state.cell[0]);
    return logits(y.outputs, y.contexts, all, pass);
  }
  const std::vector<Variable> apart = known ? split(all, 1, time) : std::vector<Variable>();
  Ids last({items}, std::vector<std::int64_t>(items));
  std::vector<Variable> outputs, contexts, tokens;
  for (std::size_t t = 0; t < time; ++t) {
    for (std::size_t b = 0; b < items; ++b) last.values[b] = inputs.ids.values[b * time + t];
    if (own > 0 && t > 0) {
      const NoGrad no_graph;
      const auto guessed = guesses(logits(outputs.back(), contexts.back(), tokens.back(), pass));
      for (std::size_t b = 0; b < items; ++b)
        if (pass.rng.chance(own) && t < inputs.lengths[b]) last.values[b] = guessed[b];
    }
    const Variable now = known ? without_time(apart[t]) : token(last, pass);
    const Step done = step(now, read, state, pass);
    outputs.push_back(done.output);
    contexts.push_back(done.context);
    tokens.push_back(done.token);
  }
  return logits(stack(outputs, 1), stack(contexts, 1), stack(tokens, 1), pass);
}

class RecurrentDecoding final : public Decoding {
 public:
  RecurrentDecoding(const RecurrentSeq2Seq& model, const Padded& sources, Pass& pass)
      : model_(model), pass_(pass), lengths_(sources.lengths) {
    memory_ = model.encode(sources, state_, pass);
  }

  Variable next(std::span<const std::int64_t> last) override {
    const auto step =
        model_.step(model_.token(Ids(std::vector(last.begin(), last.end())), pass_), memory_, state_, pass_);
    return model_.logits(step.output, step.context, step.token, pass_);
  }

  void select(std::span<const std::size_t> rows) override {
    for (Variable& x : state_.hidden) x = select_rows(x, rows);
    for (Variable& x : state_.cell) x = select_rows(x, rows);
    for (Variable& x : memory_.prepared) x = select_rows(x, rows);
    memory_.values = select_rows(memory_.values, rows);
    lengths_ = select_rows(lengths_, rows);
    memory_.mask = Mask::key_lengths(lengths_);
  }

 private:
  const RecurrentSeq2Seq& model_;
  Pass& pass_;
  DecoderMemory memory_;
  RecurrentSeq2Seq::State state_;
  std::vector<std::size_t> lengths_;
};

std::unique_ptr<Decoding> RecurrentSeq2Seq::decode(const Padded& sources, Pass& pass) const {
  return std::make_unique<RecurrentDecoding>(*this, sources, pass);
}

}  // namespace fovea::inline FOVEA_REAL
