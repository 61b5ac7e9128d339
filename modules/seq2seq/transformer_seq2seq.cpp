#include "modules/seq2seq/transformer_seq2seq.hpp"

#include <cmath>

#include "modules/positions.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

Real deviation(std::size_t width) { return Real(1) / std::sqrt(static_cast<Real>(width)); }

HeadSettings heads_of(const Seq2SeqSettings& s) {
  HeadSettings heads = scored_by(s.self_attention, s.attention.score);
  heads.rotary = s.positions == "rotary";
  return heads;
}

Mask reads(const Padded& sources) { return Mask::key_lengths(sources.lengths); }

}  // namespace

TransformerSeq2Seq::TransformerSeq2Seq(const Seq2SeqSettings& s, Rng& rng)
    : source(s.source_vocabulary, s.width, rng, deviation(s.width), 0),
      target(s.target_vocabulary, s.width, rng, deviation(s.width), 0),
      dropout_(s.dropout),
      adds_positions_(s.positions == "sinusoidal") {
  const TransformerSettings layers{.width = s.width,
                                   .heads = s.heads,
                                   .inner = s.inner,
                                   .layers = s.layers,
                                   .attention = heads_of(s),
                                   .activation = activation_named(s.activation),
                                   .dropout = s.dropout,
                                   .recompute = s.recompute};
  encoder = TransformerEncoder(layers, rng);
  decoder = TransformerDecoder(layers, rng);
  if (s.tied) {
    out_bias = Param(zeros({s.target_vocabulary}), Param::Decay::no);
  } else {
    out.emplace(s.width, s.target_vocabulary, rng);
  }
}

Variable TransformerSeq2Seq::embed(const Embedding& table, const Ids& ids, std::size_t first,
                                   Pass& pass) const {
  const std::size_t width = table.table.shape()[1];
  const Variable tokens = scale(table(ids), std::sqrt(static_cast<Real>(width)));
  if (!adds_positions_) return dropout_(tokens, pass);
  return dropout_(add(tokens, sinusoidal_positions(ids.shape.at(1), width, first)), pass);
}

Variable TransformerSeq2Seq::encode(const Padded& sources, Pass& pass) const {
  return encoder(embed(source, sources.ids, 0, pass), reads(sources), pass);
}

Variable TransformerSeq2Seq::logits(const Variable& x) const {
  return out ? (*out)(x) : linear(x, target.table, out_bias);
}

Variable TransformerSeq2Seq::taught(const Variable& memory, const Padded& sources, const Padded& inputs,
                                    Pass& pass) const {
  return logits(decoder(embed(target, inputs.ids, 0, pass), memory, Mask::causal(), reads(sources), pass));
}

Variable TransformerSeq2Seq::forward(const Padded& sources, const Padded& inputs, Pass& pass,
                                     double own) const {
  const Variable memory = encode(sources, pass);
  if (own <= 0) return taught(memory, sources, inputs, pass);
  Padded mixed = inputs;
  {
    const NoGrad no_graph;
    Pass unseen{.training = pass.training, .rng = pass.rng.split("own"), .step = pass.step};
    const auto guessed = guesses(taught(memory, sources, inputs, unseen));
    const std::size_t time = inputs.ids.shape.at(1);
    for (std::size_t b = 0; b < inputs.items(); ++b)
      for (std::size_t t = 1; t < inputs.lengths[b]; ++t)
        if (pass.rng.chance(own)) mixed.ids.values[b * time + t] = guessed[b * time + t - 1];
  }
  return taught(memory, sources, mixed, pass);
}

class TransformerDecoding final : public Decoding {
 public:
  TransformerDecoding(const TransformerSeq2Seq& model, const Padded& sources, Pass& pass)
      : model_(model),
        pass_(pass),
        lengths_(sources.lengths),
        caches_(model.decoder.start(model.encode(sources, pass))) {}

  Variable next(std::span<const std::int64_t> last) override {
    const Ids ids({last.size(), 1}, {last.begin(), last.end()});
    const Variable x = model_.decoder.step(model_.embed(model_.target, ids, position_++, pass_), caches_,
                                           Mask::key_lengths(lengths_), pass_);
    return model_.logits(reshape(x, {last.size(), x.length(-1)}));
  }

  void select(std::span<const std::size_t> rows) override {
    for (DecoderCache& cache : caches_) {
      for (MultiHead::Prepared* part : {&cache.self, &cache.memory}) {
        part->keys = select_rows(part->keys, rows);
        part->values = select_rows(part->values, rows);
      }
    }
    lengths_ = select_rows(lengths_, rows);
  }

 private:
  const TransformerSeq2Seq& model_;
  Pass& pass_;
  std::vector<std::size_t> lengths_;
  std::vector<DecoderCache> caches_;
  std::size_t position_ = 0;
};

std::unique_ptr<Decoding> TransformerSeq2Seq::decode(const Padded& sources, Pass& pass) const {
  return std::make_unique<TransformerDecoding>(*this, sources, pass);
}

}  // namespace fovea::inline FOVEA_REAL
