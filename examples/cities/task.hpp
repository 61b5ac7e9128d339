#pragma once

#include <memory>

#include "examples/cities/candidates.hpp"
#include "examples/cities/measures.hpp"
#include "examples/cities/search.hpp"
#include "report/picture.hpp"
#include "training/config.hpp"
#include "training/task.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// Finds a city of a catalogue from a name as people type it, rough coordinates and a country, where they are
/// given: see README.md. The attention over the catalogue is the answer.
class CitiesTask {
 public:
  static constexpr const char* name = "cities";
  static constexpr const char* about = "finds a city from a name as people type it";

  struct Config {
    std::string attention = "scaled_dot", hybrid = "mean", data;
    std::uint64_t negatives = 0;
    void describe(Options& options);
  };
  static TrainConfig defaults();

  /// Queries beside what they are scored against.
  struct Batch {
    Inputs queries, keys;
    Ids targets;  // [1, queries]: the place of each answer among the keys
  };

  CitiesModel model;
  double entropy_weight = 0;

  CitiesTask(const Config& config, std::uint64_t seed);
  CitiesTask(const Config& config, std::uint64_t seed, Catalogue cities, const Sizes& sizes);
  /// Two dozen cities and a model of a few hundred numbers.
  static CitiesTask tiny(const Config& config);

  /// DataError for `train` when there is nothing to learn from.
  std::size_t size(Split split) const;
  Batch batch(Split split, std::span<const std::size_t> items, Rng& rng) const;
  /// The mean of lse - s_answer, plus entropy_weight · the mean entropy. For the hybrid the mean over its two
  /// attentions.
  Loss loss(const Batch& batch, Pass& pass);
  /// For `test` both test sets, and the baselines on the same queries. Validation, and train when it is asked
  /// for, are measured on their first queries only.
  Metrics evaluate(Split split);
  template <class Archive>
  void state(Archive& archive) {
    archive("countries", countries_);
    archive("ngram_rows", rows_);
    if constexpr (Archive::reading) adopt();
  }

  std::string report(const Metrics& metrics) const;
  /// A line is `name`, or `name TAB latitude TAB longitude TAB country`, where fields may be empty or left
  /// out at the end. DataError for what cannot be read.
  std::string predict(const std::string& line, bool json) const;
  /// Before `predict`, and again when the model has changed: what all answers need of the catalogue.
  void prepare();
  /// What is found for queries as `predict` reads them, or for some of the unseen names: those whose city
  /// comes last, and some as they come.
  std::vector<report::Picture> pictures(const report::Wanted& wanted) const;
  const Sizes& sizes() const { return sizes_; }
  std::vector<std::pair<std::string, std::string>> data_checksums() const;

 private:
  /// After loading: brings features and model in line with the countries that the model was trained with.
  void adopt();
  Metrics measure(std::span<const Asked> asked, std::size_t at_most);
  std::filesystem::path file() const;

  Config config_;
  Sizes sizes_;
  Catalogue cities_;
  Splits splits_;
  TrigramIndex names_;
  Places places_;
  std::vector<std::string> countries_;
  std::uint64_t rows_ = 0;
  Features features_;
  std::optional<PreparedCatalogue> prepared_;  // for predict; forgotten in training
};

}  // namespace fovea::inline FOVEA_REAL::cities
