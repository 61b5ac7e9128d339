#pragma once

#include <span>

#include "core/random.hpp"
#include "examples/cities/places.hpp"
#include "examples/cities/splits.hpp"
#include "examples/cities/trigram_index.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// The cities that the queries of a batch are scored against in training, in place of the whole catalogue.
struct Candidates {
  std::vector<std::size_t> cities;    // each once, ascending
  std::vector<std::int64_t> targets;  // for each query, the place of its answer among them
};

/// One set for all queries of a batch: their answers; for each query 2 of the 8 other cities whose names are
/// most similar to the one asked for, and 1 of the 16 nearest to the answer; and `random` more. None is an
/// unseen city.
Candidates draw_candidates(std::span<const Asked> asked, const Splits& splits, const TrigramIndex& names,
                           const Places& places, std::size_t random, Rng& rng);

}  // namespace fovea::inline FOVEA_REAL::cities
