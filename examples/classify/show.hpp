#pragma once

#include <optional>

#include "examples/classify/answer.hpp"
#include "examples/classify/keywords.hpp"
#include "examples/classify/naive_bayes.hpp"
#include "examples/sequences/dataset.hpp"

// What the task says to people and programs.

namespace fovea::inline FOVEA_REAL::classify {

/// How many labels are printed for each line, and whether what was looked at is, too.
struct ShowOptions {
  std::size_t n_best = 1;
  bool explain = false, json = false;
};
struct Shown {
  std::string line;
  std::vector<std::string> tokens;
  std::vector<std::int64_t> ids;  // of these, to tell which are unknown
  Answer answer;
};

/// For people: `line TAB label TAB probability`, several labels each on a line; explained, below that the
/// tokens by weight, those whose n-grams speak for the label, and the three likeliest labels. As JSON: one
/// object, explained with every weight.
std::string show(const Shown& shown, const sequences::Vocabulary& labels, const ShowOptions& options);

/// What was found in a part of the data.
struct Analysis {
  Confusion model;
  Keywords keywords;
  struct Baselines {
    Confusion majority, naive_bayes;
    NaiveBayes::Settings settings;
  };
  std::optional<Baselines> baselines;  // none without the data that was learned from
};

/// Which label a class has.
const std::string& label_of(const sequences::Vocabulary& labels, std::size_t label);

/// Three tables: model and baselines, whom the largest classes are taken for, and their keywords. `name` is
/// the model's.
std::string report(const Analysis& analysis, const sequences::Vocabulary& labels, const std::string& name);

}  // namespace fovea::inline FOVEA_REAL::classify
