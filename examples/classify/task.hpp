#pragma once

#include "examples/classify/settings.hpp"
#include "examples/classify/show.hpp"
#include "report/picture.hpp"
#include "training/config.hpp"
#include "training/task.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// Labels texts by what an attention finds in them.
class ClassifyTask {
 public:
  static constexpr const char* name = "classify";
  static constexpr const char* about = "labels texts, and shows which letters or words decide";

  using Config = classify::Config;
  struct Batch {
    Texts texts;
    Ids labels;  // of each text; -1 where training does not have it
  };

  Classifier model;
  double entropy_weight = 0;

  static TrainConfig defaults();
  ClassifyTask(const Config& config, std::uint64_t seed);
  ClassifyTask(const Config& config, WithoutData);
  static ClassifyTask tiny(const Config& config);

  std::size_t size(Split split) const { return part(split).size(); }
  std::size_t length(Split split, std::size_t item) const { return part(split)[item].tokens.size(); }
  Batch batch(Split split, std::span<const std::size_t> items, Rng& rng) const;
  /// The mean cross entropy, with label smoothing, plus entropy_weight times the mean entropy.
  Loss loss(const Batch& batch, Pass& pass);
  Metrics evaluate(Split split);
  /// The same and, where there is data to learn from, the baselines'.
  Metrics evaluate_fully(Split split);
  /// Tables of what `evaluate_fully` found last.
  std::string report(const Metrics& metrics) const;
  std::vector<std::string> predict(std::span<const std::string> lines, bool json) const;
  /// Texts with their weights: those that are named, or of the texts to test with those whose label was
  /// held to be least likely and some as they come.
  std::vector<report::Picture> pictures(const report::Wanted& wanted) const;
  std::vector<std::string> notes() const;
  std::vector<std::pair<std::string, std::string>> data_checksums() const;

  template <class Archive>
  void state(Archive& archive) {
    const sequences::Vocabularies before = vocabularies_;
    const Grams grams_before = grams_;
    const Evidence evidence_before = Archive::reading ? evidence_ : Evidence();
    vocabularies_.state(archive);
    grams_.state(archive);
    if (config_.takes_evidence()) evidence_.state(archive);
    if constexpr (Archive::reading) {
      if (vocabularies_ != before || !(grams_ == grams_before) || !(evidence_ == evidence_before)) adopt();
    }
  }

 private:
  ClassifyTask(const Config& config, sequences::Corpus corpus, std::uint64_t seed);
  const std::vector<Labelled>& part(Split split) const { return parts_[static_cast<std::size_t>(split)]; }
  std::size_t classes() const { return vocabularies_.target.size() - sequences::Vocabulary::special; }
  void encode();
  /// Naive Bayes of the part to learn from, with what is best in the part to choose by.
  Evidence counted() const;
  void build(Rng& rng);
  /// Brings model and data in line with what was read.
  void adopt();
  const Evidence* evidence() const { return config_.takes_evidence() ? &evidence_ : nullptr; }
  Metrics measure(Split split, Analysis& found) const;

  Config config_;
  sequences::Corpus corpus_;
  sequences::Vocabularies vocabularies_;  // of tokens, and of labels
  Grams grams_;
  Evidence evidence_;  // counted only where the model takes it
  std::array<std::vector<Labelled>, 3> parts_;
  std::optional<Analysis> analysis_;
};

}  // namespace fovea::inline FOVEA_REAL::classify
