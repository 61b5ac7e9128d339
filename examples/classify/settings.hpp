#pragma once

#include <cstdint>
#include <string>

#include "examples/classify/labelled.hpp"
#include "examples/classify/model.hpp"
#include "examples/sequences/tokens.hpp"
#include "training/options.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// What is learned from, by which model, and how it is asked.
struct Config {
  std::string data, dev, test, tokens = "letters", letter_case = "lower";
  std::uint64_t min_count = 1, max_vocab = 0;

  std::string model = "lstm", evidence = "naive-bayes";
  AttentionSettings attention;
  std::uint64_t width = 128, layers = 1, grams = 1;
  double dropout = 0.5, token_dropout = 0.15, label_smoothing = 0.1;

  std::uint64_t n_best = 1;
  bool explain = false;

  void describe(Options& options);
  sequences::Tokens kind() const { return sequences::tokens_of(tokens); }
  Case text_case() const { return case_of(letter_case); }
  bool takes_evidence() const { return evidence != "none"; }
  /// Up to which length n-grams are counted for naive Bayes.
  std::size_t longest_counted() const { return kind() == sequences::Tokens::letters ? 5 : 2; }
  /// `orders`: of the evidence.
  ClassifierSettings model_settings(std::size_t vocabulary, std::size_t gram_rows, std::size_t classes,
                                    std::size_t orders) const;
};

}  // namespace fovea::inline FOVEA_REAL::classify
