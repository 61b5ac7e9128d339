#pragma once

#include <optional>
#include <utility>

#include "examples/cities/features.hpp"
#include "modules/attention/attend.hpp"
#include "modules/attention/hybrid.hpp"
#include "modules/embedding.hpp"
#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// How large the model is.
struct Sizes {
  std::size_t rows = 1 << 16;    // of the n-gram table
  std::size_t name = 64;         // width of a name's vector
  std::size_t country = 16;      // width of a country's vector
  std::size_t frequencies = 32;  // random waves over the globe at each of the four scales
  std::size_t common = 128;      // width that dot products project queries and keys to
  // Additive attention starts from pairs of hidden units; each pair looks at one part of the vectors.
  std::size_t name_pairs = 44, point_pairs = 15, country_pairs = 5;

  std::size_t hidden() const { return 2 * (name_pairs + point_pairs + country_pairs); }
};

/// Where the parts of a query's or key's vector lie: [name | waves | point | country | extras].
struct Layout {
  std::size_t waves, point, country, extras;
  explicit Layout(const Sizes& sizes);
  std::size_t query_width() const { return extras + query_extras; }
  std::size_t key_width() const { return extras + key_extras; }
};

/// One attention: its score, behind projections where the score needs equal widths.
struct Matcher {
  std::optional<Linear> query, key;
  Score score;
  Probe probe{};
  FIELDS(query, key, score, probe)

  /// [n, width] → [1, n, width that the score reads]
  Variable queries(const Variable& vectors) const;
  Variable keys(const Variable& vectors) const;
};

/// Finds a city by attention over the catalogue: the weights are the answer, there are no values.
///
///     name     = normalise(Σ E[n-gram])                E shared by queries and keys
///     waves    = [cos(w·x), sin(w·x)] / √frequencies   x the point on the unit sphere, w random, not trained
///     query    = [name, waves, x, country, extras]     waves and x are 0 without coordinates,
///     key      = [name, waves, x, country, extras]     country is 0 without one
///     weights  = softmax(score(query, keys))           a dot is taken of W_q query and W_k key (see Matcher)
///
/// The waves are random Fourier features (Rahimi, Recht, 2007): the product of two places' waves falls off
/// with their distance at four scales. What `extras` are: see features.hpp.
struct CitiesModel {
  EmbeddingBag ngrams;
  Embedding country;
  Buffer frequencies;               // [waves / 2, 3]
  std::vector<Matcher> attentions;  // one; two for the hybrid by mean, whose weights are averaged
  FIELDS(ngrams, country, frequencies, attentions)

  CitiesModel() = default;
  /// `attention` is dot, scaled_dot, cosine, additive or hybrid. `countries` does not count the unknown one.
  CitiesModel(const std::string& attention, HybridKind hybrid, const Sizes& sizes, std::size_t countries,
              const Rng& rng);

  /// → [n, query or key width]
  Variable encode(const Inputs& inputs) const;
  /// Both at once. The table then gets one gradient, not two to be added, and it is large.
  std::pair<Variable, Variable> encode(const Inputs& queries, const Inputs& keys) const;

 private:
  Variable joined(const Variable& names, const Inputs& inputs) const;
};

/// [n, 2 · frequencies + 3]: the waves and the point; zeros without coordinates. `frequencies` is [F, 3],
/// `per_scale` of them of one scale.
Tensor place_features(const Tensor& frequencies, std::size_t per_scale,
                      std::span<const std::optional<Point>> at);

}  // namespace fovea::inline FOVEA_REAL::cities
