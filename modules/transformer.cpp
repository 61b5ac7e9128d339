#include "modules/transformer.hpp"

#include "modules/recompute.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

MultiHead attention_for(const TransformerSettings& settings, const HeadSettings& heads, Rng& rng) {
  return MultiHead(settings.width, settings.heads, rng, heads, settings.dropout);
}

// Of a sequence to itself, step by step: slots, which mix all positions, can be had of a whole one alone.
HeadSettings of_decoder(HeadSettings settings) {
  settings.rank = 0;
  return settings;
}

template <class Layer>
std::vector<Layer> layers_for(const TransformerSettings& settings, Rng& rng) {
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < settings.layers; ++i) layers.emplace_back(settings, rng);
  return layers;
}

std::optional<LayerNorm> last_norm(const TransformerSettings& settings) {
  return settings.norm_first ? std::optional<LayerNorm>(settings.width) : std::nullopt;
}

// What a layer does with each of its parts: adds its result to its input, and normalises one of the two.
template <class Layer, class Part>
Variable residual(const Layer& layer, const LayerNorm& norm, const Variable& x, Pass& pass,
                  const Part& part) {
  if (layer.norm_first) return x + layer.dropout(part(norm(x)), pass);
  return norm(x + layer.dropout(part(x), pass));
}

// The parts of a decoder layer that a whole sequence and a step have in common.
template <class SelfAttention>
Variable decoded(const DecoderLayer& layer, Variable x, const MultiHead::Prepared& memory,
                 const Mask& memory_mask, Pass& pass, const SelfAttention& self_attention) {
  x = residual(layer, layer.norm1, x, pass, self_attention);
  x = residual(layer, layer.norm2, x, pass, [&](const Variable& query) {
    return layer.cross_attention.attend_prepared(query, memory, pass, {.mask = memory_mask}).context;
  });
  return residual(layer, layer.norm3, x, pass,
                  [&](const Variable& y) { return layer.feed_forward(y, pass); });
}

// Along time; at first there is nothing to append to.
void append(Variable& seen, const Variable& next) { seen = seen.defined() ? concat({seen, next}, 1) : next; }

}  // namespace

FeedForward::FeedForward(const TransformerSettings& settings, Rng& rng)
    : linear1(settings.width, settings.inner, rng),
      linear2(settings.inner, settings.width, rng),
      activation(settings.activation),
      dropout(settings.dropout) {}

Variable FeedForward::operator()(const Variable& x, Pass& pass) const {
  return linear2(dropout(activate(activation, linear1(x)), pass));
}

EncoderLayer::EncoderLayer(const TransformerSettings& settings, Rng& rng)
    : self_attention(attention_for(settings, settings.attention, rng)),
      feed_forward(settings, rng),
      norm1(settings.width),
      norm2(settings.width),
      dropout(settings.dropout),
      norm_first(settings.norm_first) {}

Variable EncoderLayer::operator()(const Variable& x, const Mask& mask, Pass& pass) const {
  const Variable y = residual(*this, norm1, x, pass, [&](const Variable& input) {
    return self_attention(input, pass, {.mask = mask}).context;
  });
  return residual(*this, norm2, y, pass, [&](const Variable& input) { return feed_forward(input, pass); });
}

DecoderLayer::DecoderLayer(const TransformerSettings& settings, Rng& rng)
    : self_attention(attention_for(settings, of_decoder(settings.attention), rng)),
      cross_attention(attention_for(settings, across(settings.attention, settings.heads), rng)),
      feed_forward(settings, rng),
      norm1(settings.width),
      norm2(settings.width),
      norm3(settings.width),
      dropout(settings.dropout),
      norm_first(settings.norm_first) {}

Variable DecoderLayer::operator()(const Variable& x, const Variable& memory, const Mask& self_mask,
                                  const Mask& memory_mask, Pass& pass) const {
  return decoded(
      *this, x, cross_attention.prepare(memory, memory), memory_mask, pass,
      [&](const Variable& input) { return self_attention(input, pass, {.mask = self_mask}).context; });
}

DecoderCache DecoderLayer::start(const Variable& memory) const {
  return {{}, cross_attention.prepare(memory, memory)};
}

Variable DecoderLayer::step(const Variable& x, DecoderCache& cache, const Mask& memory_mask,
                            Pass& pass) const {
  return decoded(*this, x, cache.memory, memory_mask, pass, [&](const Variable& input) {
    const std::size_t seen = cache.self.keys.defined() ? cache.self.keys.shape()[1] : 0;
    const MultiHead::Prepared next = self_attention.prepare(input, input, seen);
    append(cache.self.keys, next.keys);
    append(cache.self.values, next.values);
    // Causal is aligned at the end: the last new step sees all keys.
    return self_attention.attend_prepared(input, cache.self, pass, {.mask = Mask::causal()}).context;
  });
}

TransformerEncoder::TransformerEncoder(const TransformerSettings& settings, Rng& rng)
    : layers(layers_for<EncoderLayer>(settings, rng)),
      norm(last_norm(settings)),
      recomputes(settings.recompute) {}

Variable TransformerEncoder::operator()(Variable x, const Mask& mask, Pass& pass) const {
  for (const EncoderLayer& layer : layers)
    x = recomputes ? recompute(layer, pass, x, mask) : layer(x, mask, pass);
  return norm ? (*norm)(x) : x;
}

TransformerDecoder::TransformerDecoder(const TransformerSettings& settings, Rng& rng)
    : layers(layers_for<DecoderLayer>(settings, rng)),
      norm(last_norm(settings)),
      recomputes(settings.recompute) {}

Variable TransformerDecoder::operator()(Variable x, const Variable& memory, const Mask& self_mask,
                                        const Mask& memory_mask, Pass& pass) const {
  for (const DecoderLayer& layer : layers) {
    x = recomputes ? recompute(layer, pass, x, memory, self_mask, memory_mask)
                   : layer(x, memory, self_mask, memory_mask, pass);
  }
  return norm ? (*norm)(x) : x;
}

std::vector<DecoderCache> TransformerDecoder::start(const Variable& memory) const {
  std::vector<DecoderCache> caches;
  for (const DecoderLayer& layer : layers) caches.push_back(layer.start(memory));
  return caches;
}

Variable TransformerDecoder::step(Variable x, std::vector<DecoderCache>& caches, const Mask& memory_mask,
                                  Pass& pass) const {
  check(caches.size() == layers.size(), "Transformer decoder", "there are ", caches.size(),
        " caches; expected one for each of ", layers.size(), " layers, from start()");
  for (std::size_t i = 0; i < layers.size(); ++i) x = layers[i].step(x, caches[i], memory_mask, pass);
  return norm ? (*norm)(x) : x;
}

}  // namespace fovea::inline FOVEA_REAL
