#include "examples/classify/model.hpp"

#include <cmath>

#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL::classify {

Classifier::Classifier(const ClassifierSettings& s, Rng& rng)
    : tokens(s.vocabulary, s.width, rng, Real(0.5), 0), dropout_(s.dropout) {
  // A token has several n-grams, and most are rare: they start as corrections of what the token says.
  if (s.grams > 0) grams.emplace(s.grams, s.width, Bag::sum, rng, Real(0.1));
  if (s.model != "embedding")
    encoder.emplace(cell_named(s.model), s.width, s.width, rng, RecurrentSettings{s.layers, true, s.dropout});
  const std::size_t width = encoder ? encoder->outputs() : s.width;
  query = Param(normal(rng, {1, width}, 0, Real(1) / std::sqrt(static_cast<Real>(width))));
  attention = make_attention(s.attention, {width, width, width, s.width}, rng);
  out = Linear(width, s.classes, rng);
  if (s.orders > 0) scales = Param(filled({s.orders}, Real(0.1)), Param::Decay::no);
}

// The tokens' votes [B, classes]: Σ_t length · w_t Σ_n s_n e_{t, n}.
Variable Classifier::votes(const Variable& weights, const Texts& texts) const {
  const std::size_t items = texts.tokens.items(), time = texts.tokens.ids.shape.at(1), orders = scales.size();
  Tensor lengths = uninitialized({items, 1, 1});
  for (std::size_t i = 0; i < items; ++i) lengths.data()[i] = static_cast<Real>(texts.tokens.lengths[i]);
  const Variable each =
      reshape(weights, {items, time, 1}) * Variable(std::move(lengths)) * reshape(scales, {1, 1, orders});
  const Variable all = weighted_sum(reshape(each, {items, 1, time * orders}), texts.evidence);
  return reshape(all, {items, texts.evidence.shape().at(2)});
}

Classified Classifier::operator()(const Texts& texts, Pass& pass, const Want& want) const {
  const std::size_t items = texts.tokens.items(), time = texts.tokens.ids.shape.at(1);
  Variable x = tokens(texts.tokens.ids);
  if (grams) x = x + reshape((*grams)(texts.grams, texts.offsets), x.shape());
  x = dropout_(x, pass);
  if (encoder) x = dropout_((*encoder)(x, pass, texts.tokens.lengths).outputs, pass);
  // The one query, for each text: its gradient is the sum of theirs.
  const Variable asked = gather(query, Ids(Shape{items}, std::vector<std::int64_t>(items, 0)));
  Want looked = want;
  looked.weights = want.weights || scales.defined();
  const Attended seen = attention(asked, attention.prepare(x), x, pass,
                                  {.mask = Mask::key_lengths(texts.tokens.lengths), .want = looked});
  const auto by_text = [&](const Variable& weights) {
    return weights.defined() ? reshape(weights, {items, time}) : weights;
  };
  Variable logits = out(dropout_(seen.context, pass));
  if (scales.defined()) logits = logits + votes(seen.weights, texts);
  return {logits, by_text(seen.weights), seen.entropy};
}

}  // namespace fovea::inline FOVEA_REAL::classify
