#pragma once

#include "modules/seq2seq/decoding.hpp"

namespace fovea::inline FOVEA_REAL {

struct BeamOptions {
  std::size_t beam = 1;     // sequences that are followed at once for each item; 1 is greedy
  double length_power = 1;  // a score is log p / length^power: 0 favours short ones, 1 compares means
  std::int64_t begin = 1, end = 2;
  std::vector<std::int64_t> never{0};  // are not chosen, as `begin` is not: the padding
};

/// A sequence that was found, without the tokens that begin and end it.
struct Hypothesis {
  std::vector<std::int64_t> tokens;
  double log_probability = 0;  // of all tokens and the end
  double score = 0;            // what it is ranked by; its length counts the end
  bool cut = false;            // has as many tokens as it may have, so that it had to end
};

/// The best sequences of each item, best first, at most `beam` of them. `most[item]` is how many tokens a
/// sequence of the item may have. At each step the likeliest continuations of an item's sequences are kept;
/// one that ends leaves its place (so a beam of 1 takes the likeliest token at each step). NaN among the
/// logits is an Error.
std::vector<std::vector<Hypothesis>> beam_search(Decoding& decoding, std::span<const std::size_t> most,
                                                 const BeamOptions& options = {});

}  // namespace fovea::inline FOVEA_REAL
