#include "examples/classify/task.hpp"

#include <algorithm>

#include "examples/cities/catalogue.hpp"
#include "examples/lines.hpp"
#include "training/file.hpp"

namespace fovea::inline FOVEA_REAL::classify {

using sequences::Corpus;
using sequences::Kinds;
using sequences::Pair;
using sequences::Vocabulary;

namespace {

// One text in so many is kept to choose by, and one to test: rates of few texts are blurred.
constexpr std::uint64_t share = 10;
constexpr std::uint64_t least_places = 100, least_grams = 2;
constexpr std::int64_t no_label = -1;
constexpr double usual_smoothing = 0.1;

Kinds kinds_of(const Config& config) { return {config.kind(), sequences::Tokens::whole}; }

Corpus corpus_of(const Config& config) {
  const Case text_case = config.text_case();
  const std::vector<Pair> pairs =
      config.data.empty() ? bundled_places(least_places, text_case) : read_labelled(config.data, text_case);
  Corpus corpus = config.dev.empty()
                      ? Corpus(pairs, kinds_of(config), config.test.empty(), share)
                      : Corpus(pairs, read_labelled(config.dev, text_case), {}, kinds_of(config));
  if (!config.test.empty()) corpus.test_with(read_labelled(config.test, text_case));
  return corpus;
}

Corpus test_alone(const Config& config) {
  return Corpus({}, {},
                config.test.empty() ? std::vector<Pair>{} : read_labelled(config.test, config.text_case()),
                kinds_of(config));
}

std::vector<Row> rows_of(std::span<const Labelled> texts) {
  std::vector<Row> rows;
  for (const Labelled& one : texts) rows.push_back(one.tokens);
  return rows;
}

}  // namespace

TrainConfig ClassifyTask::defaults() {
  TrainConfig train;
  train.batch_size = 64;
  train.lr = 3e-3;
  train.schedule = "one_cycle";
  train.epochs = 10;
  return train;
}

ClassifyTask::ClassifyTask(const Config& config, std::uint64_t seed)
    : ClassifyTask(config, corpus_of(config), seed) {}

ClassifyTask::ClassifyTask(const Config& config, Corpus corpus, std::uint64_t seed)
    : config_(config), corpus_(std::move(corpus)) {
  // Rare tokens may be unknown; a label never is, however rare.
  vocabularies_ = {corpus_.vocabularies(config.min_count, config.max_vocab).source,
                   corpus_.vocabularies().target};
  check<DataError>(
      classes() > 0, "classify",
      "no text is left to learn from: all are kept to choose the model by, or to test it. There are too "
      "few; add some, or give files of their own for that by --dev and --test");
  check<DataError>(classes() > 1, "classify", "every text to learn from has the label \"",
                   label_of(vocabularies_.target, 0), "\"; there must be two, to tell them apart");
  encode();
  grams_ = Grams(rows_of(part(Split::train)), config.grams, least_grams);
  if (config.takes_evidence()) evidence_ = counted();
  Rng rng = Rng(seed).split("start");
  build(rng);
  if (!config.takes_evidence()) return;
  model.out.bias.update([&](Tensor& bias) {
    for (std::size_t c = 0; c < classes(); ++c) bias.data()[c] = evidence_.counts.log_share(c);
  });
}

ClassifyTask::ClassifyTask(const Config& config, WithoutData) : config_(config), corpus_(test_alone(config)) {
  adopt();
}

void ClassifyTask::encode() {
  const sequences::Dataset data = corpus_.encode(vocabularies_);
  const std::array<const sequences::Part*, 3> from{&data.train, &data.validation, &data.test};
  for (std::size_t i = 0; i < from.size(); ++i) {
    parts_[i].clear();
    for (const sequences::Item& item : from[i]->items) {
      const std::int64_t id = item.target.at(0);
      parts_[i].push_back({item.source, id == Vocabulary::unknown
                                            ? no_class
                                            : static_cast<std::size_t>(id) - Vocabulary::special});
    }
  }
}

Evidence ClassifyTask::counted() const {
  NaiveBayes counts(part(Split::train), classes(), config_.longest_counted());
  const NaiveBayes::Settings settings = part(Split::validation).empty()
                                            ? NaiveBayes::Settings{counts.most(), usual_smoothing}
                                            : counts.choose(part(Split::validation));
  return {std::move(counts), settings};
}

void ClassifyTask::build(Rng& rng) {
  model = Classifier(config_.model_settings(vocabularies_.source.size(), grams_.size(),
                                            std::max<std::size_t>(classes(), 1), evidence_.settings.order),
                     rng);
}

void ClassifyTask::adopt() {
  check<CheckpointError>(evidence_.settings.order == 0 || evidence_.counts.classes() == classes(),
                         "naive bayes", evidence_.counts.classes(), " classes were counted where there are ",
                         classes());
  Rng rng;
  build(rng);
  encode();
}

ClassifyTask::Batch ClassifyTask::batch(Split split, std::span<const std::size_t> items, Rng& rng) const {
  std::vector<Row> rows;
  std::vector<std::int64_t> labels;
  std::vector<const Labelled*> own;
  for (const std::size_t i : items) {
    const Labelled& one = part(split)[i];
    if (split == Split::train) own.push_back(&one);
    rows.push_back(one.tokens);
    labels.push_back(one.label == no_class ? no_label : static_cast<std::int64_t>(one.label));
    if (split != Split::train || config_.token_dropout == 0) continue;
    for (std::int64_t& id : rows.back())
      if (rng.chance(config_.token_dropout)) id = Vocabulary::unknown;
  }
  return {texts_of(rows, grams_, evidence(), own), Ids(std::move(labels))};
}

Loss ClassifyTask::loss(const Batch& batch, Pass& pass) {
  const Classified said = model(batch.texts, pass, {.entropy = entropy_weight != 0});
  const CrossEntropyOptions options{.padding = no_label,
                                    .smoothing = static_cast<Real>(config_.label_smoothing)};
  const double count = target_weight(batch.labels, options);
  Variable total = scale(sum(cross_entropy(said.logits, batch.labels, options)),
                         static_cast<Real>(1 / std::max(count, 1.0)));
  if (entropy_weight != 0) total = total + scale(mean(said.entropy), static_cast<Real>(entropy_weight));
  return {total, count};
}

Metrics ClassifyTask::measure(Split split, Analysis& found) const {
  const std::vector<Labelled>& texts = part(split);
  const std::vector<Answer> said = answers(model, grams_, rows_of(texts), evidence());
  double loss = 0, labelled = 0, entropy = 0, tokens = 0, unknown = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& [row, label] = texts[i];
    const std::size_t guess = said[i].guess();
    found.model.add(label, guess);
    entropy += said[i].entropy;
    tokens += static_cast<double>(row.size());
    unknown += static_cast<double>(std::count(row.begin(), row.end(), Vocabulary::unknown));
    if (label == no_class) continue;
    loss -= said[i].log_probabilities[label];
    ++labelled;
    if (label != guess) continue;
    std::vector<std::string> words;
    for (const std::int64_t id : row) words.push_back(vocabularies_.source.token(id));
    found.keywords.add(label, words, said[i].weights);
  }
  Metrics metrics;
  metrics.selected = "accuracy";
  metrics.ties = {{"nll"}};
  metrics.add("accuracy", found.model.accuracy());
  metrics.add("macro_f1", found.model.macro_f1());
  metrics.add("nll", loss / std::max(labelled, 1.0));
  metrics.add_detail("entropy", entropy / std::max(static_cast<double>(texts.size()), 1.0));
  metrics.add_detail("unknown", 100 * unknown / std::max(tokens, 1.0));
  return metrics;
}

Metrics ClassifyTask::evaluate(Split split) {
  Analysis found{Confusion(classes()), Keywords(classes(), config_.kind()), {}};
  return measure(split, found);
}

Metrics ClassifyTask::evaluate_fully(Split split) {
  analysis_.emplace(Analysis{Confusion(classes()), Keywords(classes(), config_.kind()), {}});
  Metrics metrics = measure(split, *analysis_);
  if (part(Split::train).empty()) return metrics;
  const std::optional<Evidence> fresh = config_.takes_evidence() ? std::nullopt : std::optional(counted());
  const auto& [bayes, chosen] = fresh ? *fresh : evidence_;
  analysis_->baselines.emplace(Analysis::Baselines{Confusion(classes()), Confusion(classes()), chosen});
  auto& [majority, naive_bayes, settings] = *analysis_->baselines;
  for (const Labelled& one : part(split)) {
    majority.add(one.label, 0);  // labels are numbered by how frequent they are
    naive_bayes.add(one.label, bayes.guess(one.tokens, chosen));
  }
  metrics.add_detail("baseline.majority.accuracy", majority.accuracy());
  metrics.add_detail("baseline.majority.macro_f1", majority.macro_f1());
  metrics.add_detail("baseline.naive_bayes.accuracy", naive_bayes.accuracy());
  metrics.add_detail("baseline.naive_bayes.macro_f1", naive_bayes.macro_f1());
  return metrics;
}

std::string ClassifyTask::report(const Metrics& metrics) const {
  if (!analysis_) return metrics.table();
  return metrics.table() + "\n" +
         classify::report(*analysis_, vocabularies_.target, config_.model + ", " + config_.attention.title());
}

std::vector<std::string> ClassifyTask::predict(std::span<const std::string> lines, bool json) const {
  std::vector<Shown> all;
  std::vector<Row> rows;
  for (const std::string& line : lines) {
    check_asked(line, "a line is a text alone (cut -f2 takes them from lines with labels)");
    std::vector<std::string> tokens =
        sequences::split_tokens(normalised(line, config_.text_case()), config_.kind());
    Row ids = vocabularies_.source.encode(tokens);
    rows.push_back(ids);
    all.push_back({line, std::move(tokens), std::move(ids), {}});
  }
  std::vector<Answer> said = answers(model, grams_, rows, evidence());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].answer = std::move(said[i]);
    texts.push_back(show(all[i], vocabularies_.target, {config_.n_best, config_.explain, json}));
  }
  return texts;
}

std::vector<std::string> ClassifyTask::notes() const {
  std::vector<std::string> notes;
  if (corpus_.left_out() > 0)
    notes.push_back(join(corpus_.left_out(), " lines are left out: their texts stand in the part to ",
                         part(Split::validation).empty() ? "test with" : "test with or to choose by",
                         ", too"));
  for (const Split split : {Split::validation, Split::test}) {
    const auto strange = std::count_if(part(split).begin(), part(split).end(),
                                       [](const Labelled& one) { return one.label == no_class; });
    if (strange > 0)
      notes.push_back(join(strange, " texts of the ", to_string(split),
                           " part have labels that are not learned; they count as wrong"));
  }
  return notes;
}

std::vector<std::pair<std::string, std::string>> ClassifyTask::data_checksums() const {
  std::vector<std::pair<std::string, std::string>> sums{
      {config_.data.empty() ? "cities.tsv" : config_.data,
       file_checksum(config_.data.empty() ? cities::bundled_catalogue()
                                          : std::filesystem::path(config_.data))}};
  for (const std::string& file : {config_.dev, config_.test})
    if (!file.empty()) sums.emplace_back(file, file_checksum(file));
  return sums;
}

ClassifyTask ClassifyTask::tiny(const Config& config) {
  Config small = config;
  small.width = 3;
  small.tokens = "letters";
  small.min_count = 1;
  small.max_vocab = 0;
  const std::vector<Pair> pairs{{"abab", "x", 1}, {"bca", "y", 2}, {"c", "z", 3}, {"bcab", "x", 4}};
  return ClassifyTask(small, Corpus(pairs, {}, {}, kinds_of(small)), 3);
}

}  // namespace fovea::inline FOVEA_REAL::classify
