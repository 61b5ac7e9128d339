#pragma once

#include "modules/attention/multi_head.hpp"
#include "modules/dropout.hpp"
#include "modules/layer_norm.hpp"
#include "modules/mlp.hpp"

namespace fovea::inline FOVEA_REAL {

// Layers of the Transformer (Vaswani et al., 2017), parametrised as PyTorch's TransformerEncoderLayer and
// TransformerDecoderLayer. With `norm_first` each part reads a normalised input (Xiong et al., 2020), else
// its sum with that input is normalised.

struct TransformerSettings {
  std::size_t width = 256, heads = 4, inner = 1024, layers = 3;
  HeadSettings attention = {};  // of a sequence to itself
  Activation activation = Activation::relu;
  bool norm_first = true;
  double dropout = 0.1;    // of the weights, inside the feed-forward part, and of what each part adds
  bool recompute = false;  // keep each layer's inputs alone until its backward pass: see recompute.hpp
};

/// linear2(dropout(activation(linear1(x))))
struct FeedForward {
  Linear linear1, linear2;
  Activation activation = Activation::relu;
  Dropout dropout;
  FIELDS(linear1, linear2)

  FeedForward() = default;
  FeedForward(const TransformerSettings& settings, Rng& rng);
  Variable operator()(const Variable& x, Pass& pass) const;
};

struct EncoderLayer {
  MultiHead self_attention;
  FeedForward feed_forward;
  LayerNorm norm1, norm2;
  Dropout dropout;
  bool norm_first = true;
  FIELDS(self_attention, feed_forward, norm1, norm2)

  EncoderLayer() = default;
  EncoderLayer(const TransformerSettings& settings, Rng& rng);
  /// x [B, T, width] → the same shape.
  Variable operator()(const Variable& x, const Mask& mask, Pass& pass) const;
};

/// What a decoder layer keeps while a sequence is decoded step by step: keys and values of what has been
/// decoded, and of the memory.
struct DecoderCache {
  MultiHead::Prepared self, memory;
};

struct DecoderLayer {
  MultiHead self_attention, cross_attention;
  FeedForward feed_forward;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout;
  bool norm_first = true;
  FIELDS(self_attention, cross_attention, feed_forward, norm1, norm2, norm3)

  DecoderLayer() = default;
  DecoderLayer(const TransformerSettings& settings, Rng& rng);
  /// x [B, T, width], memory [B, S, width] → [B, T, width].
  Variable operator()(const Variable& x, const Variable& memory, const Mask& self_mask,
                      const Mask& memory_mask, Pass& pass) const;

  /// The cache before the first step.
  DecoderCache start(const Variable& memory) const;
  /// The next steps, x [B, n, width], after those that `cache` has seen; it sees them too then. Equals the
  /// rows of a call on the whole sequence under a causal mask, to rounding (which heads with buckets do not
  /// promise: see Buckets).
  Variable step(const Variable& x, DecoderCache& cache, const Mask& memory_mask, Pass& pass) const;
};

/// Encoder layers, and with `norm_first` a last normalisation.
struct TransformerEncoder {
  std::vector<EncoderLayer> layers;
  std::optional<LayerNorm> norm;
  bool recomputes = false;
  FIELDS(layers, norm)

  TransformerEncoder() = default;
  TransformerEncoder(const TransformerSettings& settings, Rng& rng);
  Variable operator()(Variable x, const Mask& mask, Pass& pass) const;
};

struct TransformerDecoder {
  std::vector<DecoderLayer> layers;
  std::optional<LayerNorm> norm;
  bool recomputes = false;  // whole sequences; steps keep their graph
  FIELDS(layers, norm)

  TransformerDecoder() = default;
  TransformerDecoder(const TransformerSettings& settings, Rng& rng);
  Variable operator()(Variable x, const Variable& memory, const Mask& self_mask, const Mask& memory_mask,
                      Pass& pass) const;

  std::vector<DecoderCache> start(const Variable& memory) const;
  Variable step(Variable x, std::vector<DecoderCache>& caches, const Mask& memory_mask, Pass& pass) const;
};

}  // namespace fovea::inline FOVEA_REAL
