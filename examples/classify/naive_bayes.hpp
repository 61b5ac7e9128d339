#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "examples/classify/measures.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// A text that is classified: its tokens, and its class or `no_class`.
struct Labelled {
  std::vector<std::int64_t> tokens;
  std::size_t label = no_class;
};

/// Multinomial naive Bayes over n-grams of tokens, n = 1 … order, of a text with one mark before and one
/// behind it (the marks alone do not count):
///
///     score(c) = log(texts of c / texts) + Σ_g log((count of g in c + α) / (n-grams in c + α · kinds of g))
///
/// over the text's n-grams g that training knows. Several orders come from one count.
class NaiveBayes {
 public:
  struct Settings {
    std::size_t order = 1;
    double smoothing = 1;  // α
  };

  /// Counts n-grams up to `most`. Every text has a class.
  NaiveBayes(std::span<const Labelled> texts, std::size_t classes, std::size_t most);

  /// score(c) of each class; -∞ for one without a text. `order` is at most `most`.
  std::vector<double> scores(std::span<const std::int64_t> tokens, const Settings& settings) const;
  /// The class with the highest score, the first of equals.
  std::size_t guess(std::span<const std::int64_t> tokens, const Settings& settings) const;

  /// Of all orders and of α = 0.01, 0.03, 0.1, 0.3, 1 those with the most right guesses, the first of equals.
  Settings choose(std::span<const Labelled> texts) const;

 private:
  struct Count {
    std::size_t label;
    double times;
  };
  std::size_t classes_, most_;
  std::vector<double> texts_;                // of each class
  std::vector<std::vector<double>> totals_;  // [n - 1][class]: n-grams
  std::vector<double> kinds_;                // [n - 1]
  std::unordered_map<std::u32string, std::vector<Count>> counts_;
};

}  // namespace fovea::inline FOVEA_REAL::classify
