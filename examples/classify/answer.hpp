#pragma once

#include "examples/classify/evidence.hpp"
#include "examples/classify/grams.hpp"
#include "examples/classify/model.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// Texts as the model reads them. `evidence` may be null, for a model that takes none; `own` is as of
/// `Evidence::of`.
Texts texts_of(std::span<const Row> rows, const Grams& grams, const Evidence* evidence = nullptr,
               std::span<const Labelled* const> own = {});

/// What a model says of one text, and what it looked at.
struct Answer {
  std::vector<double> log_probabilities;  // of each class
  std::vector<double> weights;            // of each token
  double entropy = 0;                     // of these, in nats
  std::vector<double> evidence;           // what each token's n-grams add to the guess's logit; none without

  /// The class with the highest probability, the first of equals.
  std::size_t guess() const;
  /// So many classes, the likeliest first.
  std::vector<std::size_t> best(std::size_t most) const;
};

/// Of each text. Those of like lengths are read together. No text is empty.
std::vector<Answer> answers(const Classifier& model, const Grams& grams, std::span<const Row> rows,
                            const Evidence* evidence = nullptr);

}  // namespace fovea::inline FOVEA_REAL::classify
