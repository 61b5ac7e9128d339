#include "examples/g2p/task.hpp"

#include "examples/g2p/lexicon.hpp"
#include "training/file.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

std::filesystem::path file_of(const G2pTask::Config& config) {
  return config.data.empty() ? bundled_lexicon() : std::filesystem::path(config.data);
}

constexpr Kinds kinds{Tokens::letters, Tokens::spaced};

// The dictionary that comes with Fovea has a part to test; one's own has its words in training.
Corpus corpus_of(const G2pTask::Config& config) {
  Corpus corpus(read_lexicon(file_of(config), config.stress), kinds,
                config.data.empty() && config.test.empty());
  if (!config.test.empty()) corpus.test_with(read_lexicon(config.test, config.stress));
  return corpus;
}

Corpus test_alone(const G2pTask::Config& config) {
  return Corpus({}, {}, config.test.empty() ? std::vector<Pair>{} : read_lexicon(config.test, config.stress),
                kinds);
}

}  // namespace

void G2pTask::Config::describe(Options& options) {
  options
      .add("preset", preset,
           "settings that belong together, which others override: minutes of training, or an hour")
      .choices({"quick", "full"});
  options.add("data", data, "lexicon, lines `WORD TAB PH PH …` or as in CMUdict; empty: the one of Fovea");
  options.add("test", test, "lexicon to test with; `evaluate` needs no other then").also_later();
  options.add("stress", stress, "learn the stress of vowels, too");
  SequenceConfig::describe(options);
}

TrainConfig G2pTask::defaults() {
  TrainConfig train;
  Config config;
  use_preset("quick", train, config);
  return train;
}

void G2pTask::use_preset(const std::string& name, TrainConfig& train, Config& config) {
  config.preset = name;
  config.model = "lstm";
  config.attention = {};
  config.layers = 1;
  train.schedule = "one_cycle";
  train.batch_size = 128;
  train.clip_norm = 1;
  if (name == "quick") {
    config.width = 192;
    config.dropout = 0.15;
    config.label_smoothing = 0.05;
    train.lr = 3e-3;
    train.steps = 1600;
    train.eval_every = 400;
    return;
  }
  check<ConfigError>(name == "full", "--preset", "there is no preset \"", name, "\"; known are quick, full");
  config.width = 320;
  config.dropout = 0.25;
  config.label_smoothing = 0.1;
  train.lr = 2e-3;
  train.steps = 0;
  train.epochs = 15;
  train.eval_every = 0;
}

G2pTask::G2pTask(const Config& config, std::uint64_t seed) : G2pTask(config, corpus_of(config), seed) {}

G2pTask::G2pTask(const Config& config, Corpus corpus, std::uint64_t seed)
    : SequenceTask(config, {"wer", "per"}, std::move(corpus), 1, 0, seed), config_(config) {}

G2pTask::G2pTask(const Config& config, WithoutData)
    : SequenceTask(config, {"wer", "per"}, test_alone(config)), config_(config) {}

std::string G2pTask::normalised(const std::string& line) const { return lexicon_word(line); }

std::vector<std::pair<std::string, std::string>> G2pTask::data_checksums() const {
  std::vector<std::pair<std::string, std::string>> sums{
      {config_.data.empty() ? "cmudict.tsv" : config_.data, file_checksum(file_of(config_))}};
  if (!config_.test.empty()) sums.emplace_back(config_.test, file_checksum(config_.test));
  return sums;
}

G2pTask G2pTask::tiny(const Config& config) {
  Config small = config;
  small.shrink();
  const std::vector<Pair> pairs{
      {"AB", "AE B", 1}, {"CAB", "K AE B", 2}, {"BEAD", "B IY D", 3}, {"A", "AH", 4}};
  return G2pTask(small, Corpus(pairs, {}, {}, kinds), 3);
}

}  // namespace fovea::inline FOVEA_REAL::sequences
