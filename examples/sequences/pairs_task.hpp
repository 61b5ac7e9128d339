#pragma once

#include "examples/sequences/task.hpp"
#include "examples/sequences/toy.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// Any pairs of a file.
class PairsTask : public SequenceTask {
 public:
  static constexpr const char* name = "seq2seq";
  static constexpr const char* about = "turns sequences into others: from any file of pairs";

  struct Config : SequenceConfig {
    std::string data, dev, test, source_tokens = "letters", target_tokens = "letters";
    std::uint64_t min_count = 1, max_vocab = 0;
    void describe(Options& options);
    Kinds kinds() const { return {tokens_of(source_tokens), tokens_of(target_tokens)}; }
  };
  static TrainConfig defaults();

  PairsTask(const Config& config, std::uint64_t seed);
  PairsTask(const Config& config, WithoutData);
  static PairsTask tiny(const Config& config);
  std::vector<std::pair<std::string, std::string>> data_checksums() const;

 private:
  PairsTask(const Config& config, Corpus corpus, std::uint64_t seed);
  Config config_;
};

/// Generated sequences, to be copied, reversed or sorted: what any encoder-decoder must learn in no time.
class ToyTask : public SequenceTask {
 public:
  struct Config : SequenceConfig {
    std::uint64_t symbols = 20, shortest = 3, longest = 12, sequences = 40000;
    Config() { dropout = label_smoothing = 0; }  // there is nothing to be unsure of
    void describe(Options& options);
  };
  static TrainConfig defaults();

 protected:
  ToyTask(Toy kind, const Config& config, std::uint64_t seed);
  explicit ToyTask(const Config& config);
  static Config small(const Config& config);
};

template <Toy kind>
class ToyTaskOf : public ToyTask {
 public:
  static constexpr const char* name = kind == Toy::copy ? "copy" : kind == Toy::reverse ? "reverse" : "sort";
  static constexpr const char* about = kind == Toy::copy      ? "repeats a sequence: a model's first test"
                                       : kind == Toy::reverse ? "reverses a sequence: a model's second test"
                                                              : "sorts a sequence: a model's third test";
  ToyTaskOf(const Config& config, std::uint64_t seed) : ToyTask(kind, config, seed) {}
  ToyTaskOf(const Config& config, WithoutData) : ToyTask(config) {}
  static ToyTaskOf tiny(const Config& config) { return ToyTaskOf(small(config), 3); }
};

}  // namespace fovea::inline FOVEA_REAL::sequences
