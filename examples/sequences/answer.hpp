#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  std::vector<std::pair<std::string, std::vector<Alignment>>> heads;  // by the attention's path, of each head
  Alignment mean;                                                     // over all of these
};
Alignments alignments(const Seq2Seq& model, std::span<const std::int64_t> source,
                      std::span<const std::int64_t> target);

/// A model's attentions with their paths (`attention`, `decoder.layers.0.cross_attention`, …), in the model's
/// order; of several calls, one for each step, the results joined along the queries.
using Attentions = std::vector<std::pair<std::string, Observed>>;
Attentions all_attentions(const Seq2Seq& model, const Observations& seen);
/// Those of them that look at the source from the decoder.
Attentions attentions_to_source(Attentions all);
/// Whether an attention of this path has the source's tokens as queries, as the encoder's do. All others have
/// the target's.
bool reads_source(std::string_view path);

/// All attentions with their weights, [1, heads, queries, keys], while `source` is read and `target` is said:
/// in the encoder the source looks at itself; in the decoder each token of the target, and the end, looks at
/// the source, and at what was written before it, which begins with `<s>`.
Attentions looks(const Seq2Seq& model, std::span<const std::int64_t> source,
                 std::span<const std::int64_t> target);

}  // namespace fovea::inline FOVEA_REAL::sequences
