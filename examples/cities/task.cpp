#include "examples/cities/task.hpp"

#include <algorithm>

#include "autograd/ops.hpp"
#include "examples/cities/baselines.hpp"
#include "examples/cities/show.hpp"
#include "training/file.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

// Whether scores cost something for each hidden unit of each pair: then fewer of everything.
bool is_dear(const std::string& attention) { return attention == "additive" || attention == "hybrid"; }

std::uint64_t negatives_for(const CitiesTask::Config& config) {
  if (config.negatives) return config.negatives;
  return config.attention == "scaled_dot" ? 512 : config.attention == "dot" ? 256 : 64;
}

void append(Metrics& to, const Metrics& from, const std::string& prefix) {
  for (const Metrics::Entry& entry : from.entries) to.add(prefix + entry.name, entry.value);
}

}  // namespace

void CitiesTask::Config::describe(Options& options) {
  options.add("attention", attention, "how a query is scored against a city")
      .choices({"dot", "scaled_dot", "cosine", "additive",
                "hybrid"});  // a dot behind projections is general already
  options
      .add("hybrid", hybrid,
           "kind of hybrid: scaled dot and additive averaged, or the one that fits the widths")
      .choices({"mean", "by-dims"});
  options.add("data", data, "catalogue (TSV); empty: the one that comes with Fovea");
  options.add("negatives", negatives, "random wrong answers in a batch; 0: by the kind of attention")
      .between(0, 100000);
}

TrainConfig CitiesTask::defaults() {
  TrainConfig config;
  config.steps = 1000;
  config.batch_size = 128;
  config.lr = 2e-3;
  config.schedule = "cosine";
  config.warmup = 200;
  config.eval_every = 250;
  config.clip_norm = 0;
  return config;
}

CitiesTask::CitiesTask(const Config& config, std::uint64_t seed)
    : CitiesTask(
          config, seed,
          read_catalogue(config.data.empty() ? bundled_catalogue() : std::filesystem::path(config.data)),
          Sizes{}) {}

CitiesTask::CitiesTask(const Config& config, std::uint64_t seed, Catalogue cities, const Sizes& sizes)
    : config_(config),
      sizes_(sizes),
      cities_(std::move(cities)),
      splits_(split(cities_)),
      names_(cities_),
      places_(cities_),
      countries_(countries_of(cities_)),
      rows_(sizes.rows),
      features_(cities_, sizes.rows, countries_) {
  model = CitiesModel(config_.attention, hybrid_kind(config_.hybrid), sizes_, countries_.size(),
                      Rng(seed).split("start"));
}

void CitiesTask::adopt() {
  prepared_.reset();
  if (rows_ != sizes_.rows || countries_.size() + 1 != model.country.table.shape()[0]) {
    check<CheckpointError>(rows_ > 0 && rows_ <= std::uint64_t{1} << 24, "cities", "ngram_rows is ", rows_);
    sizes_.rows = rows_;
    model = CitiesModel(config_.attention, hybrid_kind(config_.hybrid), sizes_, countries_.size(), Rng());
  }
  features_ = Features(cities_, sizes_.rows, countries_);
}

std::filesystem::path CitiesTask::file() const {
  return config_.data.empty() ? bundled_catalogue() : std::filesystem::path(config_.data);
}

std::size_t CitiesTask::size(Split split) const {
  if (split == Split::validation) return splits_.validation.size();
  if (split == Split::test) return splits_.unseen_names.size() + splits_.unseen_cities.size();
  check<DataError>(!splits_.train.empty(), "cities", file().string(),
                   " leaves no training queries: they are made from "
                   "alternate names that differ from their city's name, a few of which are kept for testing; "
                   "fill the column \"alternates\"");
  return splits_.train.size();
}

CitiesTask::Batch CitiesTask::batch(Split, std::span<const std::size_t> items, Rng& rng) const {
  const Rng typing = rng.split("queries");
  Rng choosing = rng.split("candidates");
  std::vector<Asked> asked;
  std::vector<Query> queries;
  for (std::size_t i = 0; i < items.size(); ++i) {
    asked.push_back(splits_.train[items[i]]);
    Rng own = typing.split(i);
    queries.push_back(draw_query(cities_[asked[i].city], asked[i].name, splits_.held_out, own));
  }
  Candidates candidates = draw_candidates(asked, splits_, names_, places_, negatives_for(config_), choosing);
  return {features_.queries(queries), features_.keys(candidates.cities),
          Ids({1, items.size()}, std::move(candidates.targets))};
}

Loss CitiesTask::loss(const Batch& batch, Pass& pass) {
  prepared_.reset();
  const auto [queries, keys] = model.encode(batch.queries, batch.keys);
  AttendOptions options;
  options.want = wanted({.scores = true, .entropy = entropy_weight != 0}, pass);
  const Real share = Real(1) / static_cast<Real>(model.attentions.size());
  Variable total;
  for (const Matcher& matcher : model.attentions) {
    const Attended found =
        attend(matcher.score, matcher.queries(queries), matcher.keys(keys), {}, pass, options);
    observe(matcher.probe, found, pass);
    Variable one = mean(cross_entropy(found.scores, batch.targets));
    if (found.entropy.defined()) one = one + static_cast<Real>(entropy_weight) * mean(found.entropy);
    total = total.defined() ? total + share * one : share * one;
  }
  return {total, static_cast<double>(batch.queries.size())};
}

Metrics CitiesTask::measure(std::span<const Asked> asked, std::size_t at_most) {
  const auto used = asked.first(std::min(asked.size(), at_most));
  const std::vector<Query> queries = fixed_queries(cities_, splits_, used);
  const PreparedCatalogue catalogue = prepare_catalogue(model, features_, cities_.size());
  std::vector<std::size_t> ranks(queries.size());
  std::vector<double> entropies(queries.size());
  answer(model, features_, catalogue, queries, [&](std::size_t i, const Answer& found) {
    ranks[i] = found.rank(used[i].city);
    entropies[i] = found.entropy;
  });
  Metrics metrics;
  Measures::of(ranks).add_to(metrics, "");
  double entropy = 0;
  for (const double h : entropies) entropy += h / static_cast<double>(entropies.size());
  metrics.add("entropy", entropy);
  return metrics;
}

Metrics CitiesTask::evaluate(Split split) {
  Metrics metrics;
  metrics.selected = "mrr";
  if (split != Split::test) {
    // While training it is only to choose a model by.
    const std::size_t at_most = is_dear(config_.attention) ? 300 : validation_queries;
    append(metrics, measure(split == Split::validation ? splits_.validation : splits_.train, at_most), "");
    return metrics;
  }
  append(metrics, measure(splits_.unseen_names, test_queries), "");
  append(metrics, measure(splits_.unseen_cities, test_queries), "unseen_cities.");
  const Baselines baselines(cities_, splits_, names_, places_);
  for (const auto& [part, prefix] :
       {std::pair(&splits_.unseen_names, ""), std::pair(&splits_.unseen_cities, "unseen_cities.")}) {
    const auto ranks = baselines.ranks(fixed_queries(cities_, splits_, *part), *part);
    for (std::size_t k = 0; k < Baselines::count; ++k) {
      Measures::of(ranks[k]).add_to(metrics, std::string(prefix) + "baseline." + Baselines::names[k] + ".");
    }
  }
  return metrics;
}

void CitiesTask::prepare() { prepared_ = prepare_catalogue(model, features_, cities_.size()); }

std::string CitiesTask::predict(const std::string& line, bool json) const {
  check<Error>(prepared_.has_value(), "cities", "prepare() has to come before predict()");
  const std::vector<Query> queries{parse_query(line, countries_)};
  std::string result;
  answer(model, features_, *prepared_, queries,
         [&](std::size_t, const Answer& found) { result = show_matches(line, cities_, found, json); });
  return result;
}

std::string CitiesTask::report(const Metrics& metrics) const {
  const bool tested =
      std::any_of(metrics.entries.begin(), metrics.entries.end(),
                  [](const Metrics::Entry& entry) { return entry.name == "unseen_cities.top1"; });
  return tested ? comparison(metrics, config_.attention) : metrics.table();
}

std::vector<std::pair<std::string, std::string>> CitiesTask::data_checksums() const {
  size(Split::train);  // asked for once, as a run begins: the moment to say that it cannot
  return {{config_.data.empty() ? "cities.tsv" : config_.data, file_checksum(file())}};
}

CitiesTask CitiesTask::tiny(const Config& config) {
  // Synthetic alternates, so that each part of the split has some.
  std::string text = "id\tname\talternates\tlatitude\tlongitude\tcountry\tpopulation\theight\n";
  const std::array<const char*, 4> first{"Bel", "Nor", "Sal", "Vic"}, last{"grade", "ton", "mouth", "stad"};
  std::size_t id = 0;
  for (const char* a : first) {
    for (const char* b : last) {
      ++id;
      text += join(id, "\t", a, b, "\t", b, a, "|", a, "o", b, "|", a, " ", b, "um|", a, "\t", 5 * id, "\t",
                   11 * id, "\t", id % 3 ? "AA" : "BB", "\t", 20000 * id, "\t", id % 4 ? join(50 * id) : "",
                   "\n");
    }
  }
  const Sizes sizes{.rows = 24,
                    .name = 4,
                    .country = 2,
                    .frequencies = 1,
                    .common = 8,
                    .name_pairs = 2,
                    .point_pairs = 2,
                    .country_pairs = 1};
  Config small = config;
  small.negatives = 3;
  return CitiesTask(small, 3, parse_catalogue(text, "tiny"), sizes);
}

}  // namespace fovea::inline FOVEA_REAL::cities
