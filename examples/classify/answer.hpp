#pragma once

#include "examples/classify/grams.hpp"
#include "examples/classify/model.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// Texts as the model reads them.
Texts texts_of(std::span<const Row> rows, const Grams& grams);

/// What a model says of one text, and what it looked at.
struct Answer {
  std::vector<double> log_probabilities;  // of each class
  std::vector<double> weights;            // of each token
  double entropy = 0;                     // of these, in nats

  /// The class with the highest probability, the first of equals.
  std::size_t guess() const;
  /// So many classes, the likeliest first.
  std::vector<std::size_t> best(std::size_t most) const;
};

/// Of each text. Those of like lengths are read together. No text is empty.
std::vector<Answer> answers(const Classifier& model, const Grams& grams, std::span<const Row> rows);

}  // namespace fovea::inline FOVEA_REAL::classify
