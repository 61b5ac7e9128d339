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
    bool operator==(const Settings&) const = default;
  };

  NaiveBayes() = default;
  /// Counts n-grams up to `most`. Every text has a class.
  NaiveBayes(std::span<const Labelled> texts, std::size_t classes, std::size_t most);

  /// score(c) of each class; -∞ for one without a text. `order` is at most `most`.
  std::vector<double> scores(std::span<const std::int64_t> tokens, const Settings& settings) const;
  /// What each n-gram says, at the token in its middle: adds to `to`, [tokens, order, classes],
  ///
  ///     e(g, c) = log((count of g in c + α) / (n-grams in c + α · kinds of g)), less its mean over the
  ///     classes
  ///
  /// where place i · order + n - 1 is for token i and n-grams of length n; a mark's middle counts for the
  /// token beside it. So all that is added, with log(texts of c / texts), is score(c) but for a constant.
  /// With `own`, a text that was counted, the counts are those of all the others.
  void evidence(std::span<const std::int64_t> tokens, const Settings& settings, const Labelled* own,
                std::span<Real> to) const;
  /// log(texts of c / texts), of a class without one as if it had one.
  Real log_share(std::size_t label) const;
  std::size_t classes() const { return classes_; }
  /// Up to which length n-grams were counted.
  std::size_t most() const { return most_; }

  /// The class with the highest score, the first of equals.
  std::size_t guess(std::span<const std::int64_t> tokens, const Settings& settings) const;

  /// Of all orders and of α = 0.01, 0.03, 0.1, 0.3, 1 those with the most right guesses, the first of equals.
  Settings choose(std::span<const Labelled> texts) const;

  /// For a task's `state`. CheckpointError, with nothing changed, when what is read are no counts.
  template <class Archive>
  void state(Archive& archive) {
    std::vector<double> texts = texts_;
    std::uint64_t most = most_;
    std::vector<std::uint64_t> flat;
    if constexpr (!Archive::reading) flat = flattened();
    archive("bayes_texts", texts);
    archive("bayes_longest", most);
    archive("bayes_counts", flat);
    if constexpr (Archive::reading) restore(std::move(texts), most, flat);
  }

  bool operator==(const NaiveBayes&) const = default;

 private:
  struct Count {
    std::size_t label;
    double times;
    bool operator==(const Count&) const = default;
  };
  using Counts = std::unordered_map<std::u32string, std::vector<Count>>;

  std::vector<std::uint64_t> flattened() const;
  void restore(std::vector<double> texts, std::uint64_t most, std::span<const std::uint64_t> flat);

  std::size_t classes_ = 0, most_ = 0;
  std::vector<double> texts_;                // of each class
  std::vector<std::vector<double>> totals_;  // [n - 1][class]: n-grams
  std::vector<double> kinds_;                // [n - 1]
  Counts counts_;
};

}  // namespace fovea::inline FOVEA_REAL::classify
