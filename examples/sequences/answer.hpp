#pragma once

#include <map>

#include "examples/sequences/batches.hpp"
#include "examples/sequences/settings.hpp"
#include "modules/seq2seq/beam.hpp"
#include "modules/seq2seq/seq2seq.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// How many tokens an answer may have, beside its source: `ratio` · source + 10.
std::size_t most_tokens(std::size_t source, double ratio);

/// The best answers to each source, best first. Sources of like lengths are searched together.
std::vector<std::vector<Hypothesis>> answers(const Seq2Seq& model,
                                             std::span<const std::vector<std::int64_t>> sources, double ratio,
                                             const BeamOptions& options);

/// Rows of weights, [target + 1][source]: what is looked at when each token of a target, and the end, is
/// said.
using Alignment = std::vector<std::vector<double>>;

/// What a decoder looks at when it says `target`.
struct Alignments {
  std::map<std::string, std::vector<Alignment>> heads;  // by the attention's path, of each head
  Alignment mean;                                       // over all of these
};
Alignments alignments(const Seq2Seq& model, std::span<const std::int64_t> source,
                      std::span<const std::int64_t> target);

/// A model's attentions by path: `attention`, `decoder.layers.0.cross_attention`, …; of several calls, one
/// for each step, the results joined along the queries.
std::map<std::string, Observed> all_attentions(const Seq2Seq& model, const Observations& seen);
/// Those of them that look at the source from the decoder.
std::map<std::string, Observed> attentions_to_source(std::map<std::string, Observed> all);

}  // namespace fovea::inline FOVEA_REAL::sequences
