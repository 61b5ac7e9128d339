#pragma once

#include "examples/cities/model.hpp"

// Start values. Each attention starts as a sensible guess (similar letters, near places, same country), which
// training then bends: from plain random projections the few thousand steps would not suffice.

namespace fovea::inline FOVEA_REAL::cities {

/// Deviation of the n-gram table. Names are normalised, so the scale of the table is free, and under Adam it
/// acts as the inverse of the table's own learning rate: a table that is ten times smaller learns as if at
/// ten times the rate.
Real table_deviation(const std::string& attention);

/// Waves over the globe: 4 scales × `per_scale` rows w ~ N(0, I) / scale → [4 · per_scale, 3].
Tensor wave_frequencies(std::size_t per_scale, Rng& rng);

/// Projections to `sizes.common` under a dot, scaled dot or cosine score: rows for names, for waves and for
/// countries, the same for queries and keys, so that first scores are a sum of three similarities.
Matcher projected_dot(const Score& score, const Sizes& sizes, Rng& rng);

/// Additive attention whose hidden units come in pairs, tanh(z + 1) - tanh(z - 1) with z = w·(query - key): a
/// bump that is highest where the two agree along w.
Matcher paired_additive(AdditiveScore score, const Sizes& sizes, Rng& rng);

}  // namespace fovea::inline FOVEA_REAL::cities
