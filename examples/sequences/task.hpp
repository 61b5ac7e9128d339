#pragma once

#include "examples/sequences/answer.hpp"
#include "examples/sequences/dataset.hpp"
#include "examples/sequences/measures.hpp"
#include "report/picture.hpp"
#include "training/config.hpp"
#include "training/task.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// Learns to turn sequences into others with an encoder-decoder: what the tasks g2p, seq2seq, copy, reverse
/// and sort have in common. They differ in their data and in the names of what is measured.
class SequenceTask {
 public:
  using Batch = sequences::Batch;

  Seq2Seq model;
  double entropy_weight = 0;

  std::size_t size(Split split) const { return part(split).items.size(); }
  /// By which batches are put together, so that little of them is padding.
  std::size_t length(Split split, std::size_t item) const;
  Batch batch(Split split, std::span<const std::size_t> items, Rng& rng) const;
  /// The mean cross entropy of the target's tokens and ends, with label smoothing; plus entropy_weight times
  /// the mean entropy of all attentions; plus the guide, in its first steps.
  Loss loss(const Batch& batch, Pass& pass);
  /// Error rates of greedy answers, loss and attention.
  Metrics evaluate(Split split) { return measure(split, 1); }
  /// The same with the beam that is set: what is reported.
  Metrics evaluate_fully(Split split) { return measure(split, config_.beam); }

  template <class Archive>
  void state(Archive& archive) {
    const Vocabularies before = vocabularies_;
    vocabularies_.state(archive);
    archive("length_ratio", ratio_);
    check<CheckpointError>(ratio_ >= 1 && ratio_ <= most_ratio, "sequences", "length_ratio is ", ratio_);
    if (vocabularies_ != before) adopt();
  }

  /// How many pairs were left out, if any, because another part has their words.
  std::vector<std::string> notes() const;

  /// An answer, or `n-best` of them, for each line.
  std::vector<std::string> predict(std::span<const std::string> lines, bool json) const;
  /// What is looked at for words that are named, or of those to test with for the ones that went most wrong
  /// and some others: each head of every attention, those from the decoder to the source first.
  std::vector<report::Picture> pictures(const report::Wanted& wanted) const;

 protected:
  static constexpr double most_ratio = 50;  // of a target's length to its source's, that answers may have

  /// How the two rates are called: words of which none of the references was found, and wrong tokens.
  struct Names {
    std::string words = "ser", tokens = "ter";
  };

  SequenceTask(const SequenceConfig& config, Names names, Corpus corpus, std::uint64_t min_count,
               std::uint64_t max_vocab, std::uint64_t seed);
  /// To be loaded; `corpus` may hold something to test with.
  SequenceTask(const SequenceConfig& config, Names names, Corpus corpus);
  virtual ~SequenceTask() = default;
  SequenceTask(const SequenceTask&) = default;
  SequenceTask(SequenceTask&&) = default;
  SequenceTask& operator=(const SequenceTask&) = default;
  SequenceTask& operator=(SequenceTask&&) = default;

  /// A line as a source of the data.
  virtual std::string normalised(const std::string& line) const { return line; }

 private:
  void check_settings() const;
  bool has_slots() const;
  std::size_t longest_source() const;
  void check_lengths() const;
  void check_asked_length(std::size_t tokens) const;
  const Part& part(Split split) const;
  /// Brings model and data in line with the vocabularies.
  void adopt();
  Metrics measure(Split split, std::size_t beam) const;
  void measure_attention(std::span<const Item> items, Metrics& metrics) const;

  SequenceConfig config_;
  Names names_;
  Corpus corpus_;
  Vocabularies vocabularies_;
  double ratio_ = 1;  // of the longest target to its source
  Dataset data_;
};

}  // namespace fovea::inline FOVEA_REAL::sequences
