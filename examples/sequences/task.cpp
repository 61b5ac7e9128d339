#include "examples/sequences/task.hpp"

#include <algorithm>
#include <cmath>

#include "examples/lines.hpp"
#include "examples/sequences/show.hpp"
#include "modules/seq2seq/guide.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

constexpr double reach = 2;
constexpr std::size_t items_at_once = 256, words_looked_at = 1000;

double length_ratio(const Part& part, double most) {
  double ratio = 1;
  for (const Item& item : part.items)
    ratio =
        std::max(ratio, static_cast<double>(item.target.size()) / static_cast<double>(item.source.size()));
  return std::min(ratio, most);
}

// The mean over heads and the first lengths[b] queries of each item: [B, heads, Tq] → scalar.
Variable mean_of_rows(const Variable& x, std::span<const std::size_t> lengths) {
  const Shape& shape = x.shape();
  Tensor share = zeros({shape[0], 1, shape[2]});
  double count = 0;
  for (const std::size_t length : lengths) count += static_cast<double>(length * shape[1]);
  for (std::size_t b = 0; b < shape[0]; ++b)
    std::fill_n(share.data() + b * shape[2], lengths[b], static_cast<Real>(1 / std::max(count, 1.0)));
  return sum(mul(x, Variable(std::move(share))));
}

}  // namespace

SequenceTask::SequenceTask(const SequenceConfig& config, Names names, Corpus corpus, std::uint64_t min_count,
                           std::uint64_t max_vocab, std::uint64_t seed)
    : config_(config),
      names_(std::move(names)),
      corpus_(std::move(corpus)),
      vocabularies_(corpus_.vocabularies(min_count, max_vocab)),
      data_(corpus_.encode(vocabularies_)) {
  check_settings();
  check_lengths();
  const std::size_t longest = has_slots() ? longest_source() : 0;
  check<ConfigError>(config_.self_attention.rank <= longest || !has_slots(), "--rank", "of ",
                     config_.self_attention.rank, " slots for sources of at most ", longest,
                     " tokens; expected no more slots than tokens");
  check<DataError>(
      !data_.train.items.empty(), "sequences",
      "no pair is left to learn from: all are kept to choose the model by, or to test it. There are too "
      "few; add some, or give files of their own for that by --dev and --test");
  ratio_ = length_ratio(data_.train, most_ratio);
  Rng rng = Rng(seed).split("start");
  model = make_seq2seq(config_.model_settings(vocabularies_.source.size(), vocabularies_.target.size()), rng);
}

SequenceTask::SequenceTask(const SequenceConfig& config, Names names, Corpus corpus)
    : config_(config), names_(std::move(names)), corpus_(std::move(corpus)) {
  check_settings();
  adopt();
}

bool SequenceTask::has_slots() const {
  return config_.model == "transformer" && config_.self_attention.rank > 0;
}

void SequenceTask::check_asked_length(std::size_t tokens) const {
  const std::size_t most = config_.self_attention.longest;
  check<DataError>(!has_slots() || tokens <= most, "predict", "the line has ", tokens,
                   " tokens, and this model's low-rank heads take at most ", most,
                   "; one trained with a larger --rank-length takes more");
}

std::size_t SequenceTask::longest_source() const {
  std::size_t longest = 0;
  for (const Part* one : {&data_.train, &data_.validation, &data_.test})
    for (const Item& item : one->items) longest = std::max(longest, item.source.size());
  return longest;
}

void SequenceTask::check_lengths() const {
  if (!has_slots()) return;
  const std::size_t longest = longest_source(), most = config_.self_attention.longest;
  check<ConfigError>(longest <= most, "--rank-length", "the longest source has ", longest,
                     " tokens, and low-rank heads are for at most ", most, "; train with ", longest,
                     " or more");
}

void SequenceTask::check_settings() const {
  config_.guided_steps();
  check<ConfigError>(config_.teacher_forcing == "constant" || config_.teacher_floor < 1, "--teacher-forcing",
                     config_.teacher_forcing,
                     " needs a --teacher-floor below 1: the part of right inputs where it ends");
  check<ConfigError>(config_.n_best <= config_.beam, "--n-best", "is ", config_.n_best, " and --beam ",
                     config_.beam, "; there are at most as many answers as the beam is wide");
}

const Part& SequenceTask::part(Split split) const {
  return split == Split::train ? data_.train : split == Split::validation ? data_.validation : data_.test;
}

std::size_t SequenceTask::length(Split split, std::size_t item) const {
  const Item& one = part(split).items[item];
  return one.source.size() + one.target.size();
}

void SequenceTask::adopt() {
  Rng rng;
  model = make_seq2seq(config_.model_settings(vocabularies_.source.size(), vocabularies_.target.size()), rng);
  data_ = corpus_.encode(vocabularies_);
  check_lengths();
}

Batch SequenceTask::batch(Split split, std::span<const std::size_t> items, Rng&) const {
  return make_batch(part(split).items, items);
}

Loss SequenceTask::loss(const Batch& batch, Pass& pass) {
  const bool guided = pass.training && pass.step < config_.guided_steps();
  Observations seen({.weights = guided, .entropy = entropy_weight != 0}, pass.observations);
  const bool looks = guided || entropy_weight != 0;
  Pass looking = pass;
  if (looks) looking.observations = &seen;
  const double own = pass.training ? config_.own_inputs(pass.step) : 0;
  const Variable logits = forward(model, batch.source, batch.inputs, looking, own);
  pass.rng = looking.rng;
  const CrossEntropyOptions options{.padding = Vocabulary::padding,
                                    .smoothing = static_cast<Real>(config_.label_smoothing)};
  const auto tokens = static_cast<double>(batch.tokens());
  Variable total = scale(sum(cross_entropy(logits, batch.targets, options)), static_cast<Real>(1 / tokens));
  if (!looks) return {total, tokens};
  const auto all = all_attentions(model, seen);
  for (const auto& [path, one] : all) {
    if (entropy_weight == 0) break;
    const auto& lengths = reads_source(path) ? batch.source.lengths : batch.inputs.lengths;
    const auto weight = static_cast<Real>(entropy_weight / static_cast<double>(all.size()));
    total = total + scale(mean_of_rows(one.entropy, lengths), weight);
  }
  if (guided) {
    const auto to_source = attentions_to_source(all);
    const Real share = Real(1) / static_cast<Real>(to_source.size());
    for (const auto& [path, one] : to_source)
      total = total + scale(diagonal_guide(one.weights, batch.inputs.lengths, batch.source.lengths), share);
  }
  return {total, tokens};
}

void SequenceTask::measure_attention(std::span<const Item> items, Metrics& metrics) const {
  const CrossEntropyOptions options{.padding = Vocabulary::padding};
  double loss = 0, tokens = 0, mass = 0, rows = 0;
  struct Entropy {
    std::string path;
    std::vector<double> sums;  // over tokens, of each head
    double count = 0;          // of tokens
  };
  std::vector<Entropy> entropies;  // in the model's order
  for (std::size_t begin = 0; begin < items.size(); begin += items_at_once) {
    const auto some = items.subspan(begin, std::min(items_at_once, items.size() - begin));
    const Batch batch = make_batch(some);
    Observations seen({.weights = true, .entropy = true});
    Pass pass{.observations = &seen};
    const Variable logits = forward(model, batch.source, batch.inputs, pass);
    loss += static_cast<double>(sum(cross_entropy(logits, batch.targets, options)).item());
    tokens += static_cast<double>(batch.tokens());
    const auto all = all_attentions(model, seen);
    for (const auto& [path, one] : all) {
      const auto& lengths = reads_source(path) ? batch.source.lengths : batch.inputs.lengths;
      const Shape& shape = one.entropy.shape();
      auto of_path = std::find_if(entropies.begin(), entropies.end(),
                                  [&, &name = path](const Entropy& other) { return other.path == name; });
      if (of_path == entropies.end())
        of_path = entropies.insert(entropies.end(), {path, std::vector<double>(shape[1])});
      for (std::size_t b = 0; b < shape[0]; ++b) {
        of_path->count += static_cast<double>(lengths[b]);
        for (std::size_t h = 0; h < shape[1]; ++h)
          for (std::size_t i = 0; i < lengths[b]; ++i)
            of_path->sums[h] +=
                static_cast<double>(one.entropy.value().data()[(b * shape[1] + h) * shape[2] + i]);
      }
    }
    for (const auto& [path, one] : attentions_to_source(all)) {
      mass += mass_on_diagonal(one.weights.value(), batch.inputs.lengths, batch.source.lengths, reach);
      rows += static_cast<double>(batch.tokens() * one.weights.shape()[1]);
    }
  }
  metrics.add("nll", loss / std::max(tokens, 1.0));
  metrics.add("diagonal", 100 * mass / std::max(rows, 1.0));
  for (const Entropy& one : entropies)
    for (std::size_t h = 0; h < one.sums.size(); ++h)
      metrics.add_detail(join("entropy.", one.path, one.sums.size() > 1 ? join(".", h) : ""),
                         one.sums[h] / one.count);
}

Metrics SequenceTask::measure(Split split, std::size_t beam) const {
  const Part& of = part(split);
  // Of what is learned from a part will do: every so many words.
  const std::size_t step = split == Split::train ? of.words.size() / words_looked_at + 1 : 1;
  std::vector<std::vector<std::int64_t>> sources;
  std::vector<const Word*> words;
  for (std::size_t i = 0; i < of.words.size(); i += step) {
    words.push_back(&of.words[i]);
    sources.push_back(of.words[i].source);
  }
  const auto found = answers(model, sources, ratio_, {.beam = beam, .length_power = config_.length_power});
  ErrorRates rates;
  for (std::size_t i = 0; i < words.size(); ++i) rates.add(found[i].front().tokens, words[i]->references);
  Metrics metrics;
  metrics.selected = names_.words;
  metrics.higher_is_better = false;
  metrics.ties = {{names_.tokens}, {"nll"}};
  metrics.add(names_.words, rates.word_rate());
  metrics.add(names_.tokens, rates.token_rate());
  std::size_t tokens = 0, unknown = 0;
  for (const auto& source : sources) {
    tokens += source.size();
    unknown += static_cast<std::size_t>(std::count(source.begin(), source.end(), Vocabulary::unknown));
  }
  metrics.add_detail(
      "unknown", 100 * static_cast<double>(unknown) / static_cast<double>(std::max<std::size_t>(tokens, 1)));
  std::vector<Item> items;
  for (std::size_t i = 0; i < of.items.size(); i += step) items.push_back(of.items[i]);
  measure_attention(items, metrics);
  return metrics;
}

std::vector<std::string> SequenceTask::notes() const {
  if (corpus_.left_out() == 0) return {};
  return {join(corpus_.left_out(), " pairs are left out: their sources stand in the part to ",
               data_.validation.items.empty() ? "test with" : "test with or to choose by", ", too")};
}

std::vector<std::string> SequenceTask::predict(std::span<const std::string> lines, bool json) const {
  std::vector<std::vector<std::string>> tokens;
  std::vector<std::vector<std::int64_t>> sources;
  for (const std::string& line : lines) {
    check_asked(line, "a line is a source alone (cut -f1 takes them from a file of pairs)");
    tokens.push_back(split_tokens(normalised(line), corpus_.kinds().source));
    sources.push_back(vocabularies_.source.encode(tokens.back()));
    check_asked_length(sources.back().size());
  }
  const auto found =
      answers(model, sources, ratio_, {.beam = config_.beam, .length_power = config_.length_power});
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Shown shown{lines[i], std::move(tokens[i]), sources[i], {}};
    for (std::size_t n = 0; n < std::min<std::size_t>(config_.n_best, found[i].size()); ++n) {
      const Hypothesis& one = found[i][n];
      const std::vector<std::string> said = vocabularies_.target.decode(one.tokens);
      shown.answers.push_back({join_tokens(said, corpus_.kinds().target), said, one.log_probability,
                               one.score, one.cut,
                               config_.alignment ? alignments(model, sources[i], one.tokens) : Alignments{}});
    }
    texts.push_back(show(shown, config_.n_best > 1, json));
  }
  return texts;
}

}  // namespace fovea::inline FOVEA_REAL::sequences
