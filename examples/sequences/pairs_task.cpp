#include "examples/sequences/pairs_task.hpp"

#include <algorithm>

#include "training/file.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

TrainConfig common_defaults() {
  TrainConfig config;
  config.batch_size = 64;
  config.lr = 1e-3;
  config.schedule = "cosine";
  config.warmup = 200;
  config.clip_norm = 1;
  config.epochs = 10;
  return config;
}

Corpus corpus_of(const PairsTask::Config& config) {
  check<ConfigError>(!config.data.empty(), "--data", "expected a file of pairs, lines `source TAB target`");
  const std::vector<Pair> pairs = read_pairs(config.data);
  Corpus corpus = config.dev.empty() ? Corpus(pairs, config.kinds(), config.test.empty())
                                     : Corpus(pairs, read_pairs(config.dev), {}, config.kinds());
  if (!config.test.empty()) corpus.test_with(read_pairs(config.test));
  return corpus;
}

Corpus test_alone(const PairsTask::Config& config) {
  return Corpus({}, {}, config.test.empty() ? std::vector<Pair>{} : read_pairs(config.test), config.kinds());
}

}  // namespace

void PairsTask::Config::describe(Options& options) {
  options.add("data", data, "pairs to learn from, lines `source TAB target`");
  options.add(
      "dev", dev,
      "pairs to choose the model by; empty: one in 40 words of --data, and without --test as many to test");
  options.add("test", test, "pairs to test with; `evaluate` needs no others then").also_later();
  for (auto& [key, value] : {std::pair<const char*, std::string&>("source-tokens", source_tokens),
                             std::pair<const char*, std::string&>("target-tokens", target_tokens)}) {
    options.add(key, value, "what a text is cut into: letters, words, or what stands between spaces")
        .choices({"letters", "words", "spaced"});
  }
  options.add("min-count", min_count, "tokens that occur fewer times are unknown").between(1, 1e9);
  options.add("max-vocab", max_vocab, "most tokens of each vocabulary; 0: any number").between(0, 1e9);
  SequenceConfig::describe(options);
}

TrainConfig PairsTask::defaults() { return common_defaults(); }

PairsTask::PairsTask(const Config& config, std::uint64_t seed) : PairsTask(config, corpus_of(config), seed) {}

PairsTask::PairsTask(const Config& config, Corpus corpus, std::uint64_t seed)
    : SequenceTask(config, {}, std::move(corpus), config.min_count, config.max_vocab, seed),
      config_(config) {}

PairsTask::PairsTask(const Config& config, WithoutData)
    : SequenceTask(config, {}, test_alone(config)), config_(config) {}

std::vector<std::pair<std::string, std::string>> PairsTask::data_checksums() const {
  std::vector<std::pair<std::string, std::string>> sums{{config_.data, file_checksum(config_.data)}};
  for (const std::string& file : {config_.dev, config_.test})
    if (!file.empty()) sums.emplace_back(file, file_checksum(file));
  return sums;
}

PairsTask PairsTask::tiny(const Config& config) {
  Config small = config;
  small.shrink();
  small.source_tokens = small.target_tokens = "letters";
  const std::vector<Pair> pairs{{"ab", "xyx", 1}, {"bca", "yz", 2}, {"c", "zzxy", 3}, {"aacb", "y", 4}};
  return PairsTask(small, Corpus(pairs, {}, {}, small.kinds()), 3);
}

void ToyTask::Config::describe(Options& options) {
  options.add("symbols", symbols, "different symbols, from a on").between(2, 26);
  options.add("shortest", shortest, "symbols of the shortest sequence").between(1, 1000);
  options.add("longest", longest, "symbols of the longest sequence").between(1, 1000);
  options.add("sequences", sequences, "to learn from").between(1, 1e8);
  SequenceConfig::describe(options);
}

TrainConfig ToyTask::defaults() {
  TrainConfig config = common_defaults();
  config.epochs = 3;
  config.lr = 2e-3;
  return config;
}

namespace {

Corpus toy_corpus(Toy kind, const ToyTask::Config& config, std::uint64_t seed) {
  ToySizes sizes;
  sizes.train = config.sequences;
  sizes.symbols = config.symbols;
  sizes.shortest = config.shortest;
  sizes.longest = config.longest;
  sizes.validation = sizes.test = std::min<std::uint64_t>(500, config.sequences);
  const ToyPairs pairs = toy_pairs(kind, sizes, seed);
  return Corpus(pairs.train, pairs.validation, pairs.test, {});
}

}  // namespace

ToyTask::ToyTask(Toy kind, const Config& config, std::uint64_t seed)
    : SequenceTask(config, {}, toy_corpus(kind, config, seed), 1, 0, seed) {}

ToyTask::ToyTask(const Config& config) : SequenceTask(config, {}, Corpus({}, {}, {}, {})) {}

ToyTask::Config ToyTask::small(const Config& config) {
  Config small = config;
  small.shrink();
  small.symbols = 3;
  small.shortest = 1;
  small.longest = 3;
  small.sequences = 6;
  return small;
}

}  // namespace fovea::inline FOVEA_REAL::sequences
