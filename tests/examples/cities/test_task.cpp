#include <cstdlib>

#include <catch2/catch.hpp>

#include "autograd/gradcheck.hpp"
#include "core/parallel.hpp"
#include "examples/cities/bundled.hpp"
#include "examples/cities/start_values.hpp"
#include "examples/cities/task.hpp"
#include "training/fit.hpp"
#include "training/folder.hpp"

using namespace fovea;
using namespace fovea::cities;
using Catch::Contains;

namespace {

CitiesTask::Config kind(const std::string& attention, const std::string& hybrid = "mean") {
  CitiesTask::Config config;
  config.attention = attention;
  config.hybrid = hybrid;
  return config;
}

const std::vector<CitiesTask::Config> kinds{kind("dot"),    kind("scaled_dot"),        kind("additive"),
                                            kind("hybrid"), kind("hybrid", "by-dims"), kind("cosine")};

CitiesTask::Batch first_batch(const CitiesTask& task, std::size_t count) {
  std::vector<std::size_t> items(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = i;
  Rng rng(11);
  return task.batch(Split::train, items, rng);
}

// The parameters after a few steps of training.
std::vector<Tensor> trained(CitiesTask task, std::uint64_t steps, std::size_t batch) {
  TrainConfig config = CitiesTask::defaults();
  config.steps = steps;
  config.batch_size = batch;
  config.eval_every = 1000;
  FitState state = start_state(config);
  Plan plan(config, task.size(Split::train));
  for (std::uint64_t step = 0; step < steps; ++step)
    train_step(task, plan, step, {*state.optimizer, plan.rate(step)});
  std::vector<Tensor> values;
  for (const NamedParam& named : parameters(task.model)) values.push_back(named.param->value());
  return values;
}

struct Threads {
  explicit Threads(std::size_t count) { set_threads(count); }
  ~Threads() { set_threads(0); }
};

}  // namespace

TEST_CASE("cities: gradients of every kind of attention", "[examples]") {
  if constexpr (sizeof(Real) == 8) {
    for (const CitiesTask::Config& config : kinds) {
      CAPTURE(config.attention, config.hybrid);
      CitiesTask task = CitiesTask::tiny(config);
      task.entropy_weight = 0.3;
      const auto batch = first_batch(task, 4);
      const auto report = gradcheck(parameters(task.model), [&] {
        Pass pass{.training = true, .rng = Rng(3)};
        return task.loss(batch, pass).value;
      });
      INFO(report.text());
      CHECK(report.passed);
    }
  }
}

TEST_CASE("cities: the loss is lse - s of the answer, plus the weighted entropy", "[examples]") {
  for (const CitiesTask::Config& config : kinds) {
    CAPTURE(config.attention, config.hybrid);
    CitiesTask task = CitiesTask::tiny(config);
    const auto batch = first_batch(task, 4);
    Pass pass;
    const auto loss_at = [&](double weight) {
      task.entropy_weight = weight;
      const Loss loss = task.loss(batch, pass);
      CHECK(loss.count == 4);
      return static_cast<double>(loss.value.item());
    };
    // The same by hand from the scores.
    const auto [queries, keys] = task.model.encode(batch.queries, batch.keys);
    double expected = 0, entropy = 0;
    for (const Matcher& matcher : task.model.attentions) {
      AttendOptions options;
      options.want.scores = true;
      const Tensor scores =
          attend(matcher.score, matcher.queries(queries), matcher.keys(keys), {}, pass, options)
              .scores.value();
      const std::size_t n = batch.keys.size();
      REQUIRE(scores.shape() == Shape{1, 4, n});
      for (std::size_t i = 0; i < 4; ++i) {
        double total = 0, h = 0;
        const Real* row = scores.data() + i * n;
        for (std::size_t j = 0; j < n; ++j) total += std::exp(static_cast<double>(row[j]));
        for (std::size_t j = 0; j < n; ++j) {
          const double p = std::exp(static_cast<double>(row[j])) / total;
          h -= p * std::log(p);
        }
        const double share = 1.0 / 4 / static_cast<double>(task.model.attentions.size());
        expected += share * (std::log(total) - static_cast<double>(row[batch.targets.values[i]]));
        entropy += share * h;
      }
    }
    CHECK(loss_at(0) == Approx(expected).epsilon(1e-4));
    CHECK(loss_at(0.5) == Approx(expected + 0.5 * entropy).epsilon(1e-4));
  }
}

TEST_CASE("cities: kinds of attention have the scores they name", "[examples]") {
  const auto scores_of = [](const CitiesTask::Config& config) {
    std::vector<std::size_t> kinds_of_score;
    for (const Matcher& matcher : CitiesTask::tiny(config).model.attentions)
      kinds_of_score.push_back(matcher.score.index());
    return kinds_of_score;
  };
  const std::size_t dot = Score(DotScore{}).index(), scaled = Score(ScaledDotScore{}).index();
  const std::size_t additive = Score(AdditiveScore{}).index();
  using List = std::vector<std::size_t>;
  CHECK(scores_of(kinds[0]) == List{dot});
  CHECK(scores_of(kinds[1]) == List{scaled});
  CHECK(scores_of(kinds[2]) == List{additive});
  CHECK(scores_of(kinds[3]) == List{scaled, additive});
  CHECK(scores_of(kinds[4]) == List{additive});  // the widths differ
  CHECK(scores_of(kinds[5]) == List{Score(CosineScore{}).index()});
}

TEST_CASE("cities: waves fall off with distance", "[examples]") {
  Rng rng(1);
  const Tensor w = wave_frequencies(32, rng);
  REQUIRE(w.shape() == Shape{128, 3});
  const std::vector<std::optional<Point>> at{
      on_sphere({48, 16}), on_sphere({48, 16.5}), on_sphere({-20, 100}), {}};
  const Tensor waves = place_features(w, 32, at);
  REQUIRE(waves.shape() == Shape{4, 259});
  const auto product = [&](std::size_t i, std::size_t j) {
    double total = 0;
    for (std::size_t f = 0; f < 256; ++f)
      total += static_cast<double>(waves.data()[i * 259 + f] * waves.data()[j * 259 + f]);
    return total;
  };
  CHECK(product(0, 0) == Approx(4).epsilon(1e-4));  // one for each scale
  CHECK(product(0, 1) > 2.5);
  CHECK(std::abs(product(0, 2)) < 1.5);
  CHECK(product(3, 3) == 0);
}

TEST_CASE("cities: searching block by block is attending to all at once", "[examples]") {
  for (const CitiesTask::Config& config : kinds) {
    CAPTURE(config.attention, config.hybrid);
    const CitiesTask task = CitiesTask::tiny(config);
    const Catalogue cities = parse_catalogue(four_cities, "four");
    const Features features(cities, 24, {"AA", "BB"});
    const std::vector<Query> queries{{U"vienna", {{48, 16}}, "AA"}, {U"grz", {}, {}}};
    std::vector<Answer> answers(2);
    answer(task.model, features, prepare_catalogue(task.model, features, 4), queries,
           [&](std::size_t i, const Answer& found) { answers[i] = found; });
    const std::vector<std::size_t> all{0, 1, 2, 3};
    Pass pass;
    AttendOptions options;
    options.want = {.scores = false, .weights = true, .entropy = true};
    const double share = 1.0 / static_cast<double>(task.model.attentions.size());
    std::vector<double> weights(8), entropy(2);
    for (const Matcher& matcher : task.model.attentions) {
      const Attended at_once =
          attend(matcher.score, matcher.queries(task.model.encode(features.queries(queries))),
                 matcher.keys(task.model.encode(features.keys(all))), {}, pass, options);
      for (std::size_t k = 0; k < 8; ++k)
        weights[k] += share * static_cast<double>(at_once.weights.value().data()[k]);
      for (std::size_t i = 0; i < 2; ++i)
        entropy[i] += share * static_cast<double>(at_once.entropy.value().data()[i]);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      REQUIRE(answers[i].weights.size() == 4);
      CHECK(answers[i].entropy == Approx(entropy[i]).epsilon(1e-4));
      for (std::size_t j = 0; j < 4; ++j)
        CHECK(answers[i].weights[j] == Approx(weights[4 * i + j]).margin(1e-5));
    }
  }
}

TEST_CASE("cities: predictions for people and for programs", "[examples]") {
  CitiesTask task(kind("additive"), 1, parse_catalogue(four_cities, "four"), CitiesTask::tiny({}).sizes());
  CHECK_THROWS_WITH(task.predict("Wien", true), Contains("prepare()"));
  task.prepare();
  const std::string json = task.predict("Wien \"x\"\\\t48\t16\tAT", true);
  CHECK_THAT(json, Contains(R"("query":"Wien \"x\"\\\t48\t16\tAT")") && Contains("\"matches\":[{\"name\":") &&
                       Contains("\"weight\":") && Contains("\"latitude\":null") && Contains("\"entropy\":"));
  CHECK(json.find('\n') == std::string::npos);
  CHECK_THAT(task.predict("Wien", false), Contains("Wiener Neustadt") && Contains("Europe/Vienna"));
  CHECK_THROWS_AS(task.predict("Wien\t1", true), DataError);
}

TEST_CASE("cities: another catalogue is searched with the countries of training", "[examples]") {
  CitiesTask trained_task = CitiesTask::tiny(kind("scaled_dot"));
  Entries entries;
  StateWriter writer(entries);
  trained_task.state(writer);
  Sizes sizes = trained_task.sizes();
  sizes.rows = 8;
  CitiesTask other(kind("scaled_dot"), 9, parse_catalogue(four_cities, "four"), sizes);
  StateReader reader(entries);
  other.state(reader);
  reader.finish();
  CHECK(other.model.country.table.shape() == trained_task.model.country.table.shape());
  CHECK(other.model.ngrams.table.shape()[0] == 24);
  other.prepare();
  CHECK_THROWS_WITH(other.predict("Wien\t\t\tAT", true), Contains("none of the 2"));
  CHECK_NOTHROW(other.predict("Wien\t\t\tBB", true));
}

TEST_CASE("cities: a catalogue without alternate names can be searched but not learned from", "[examples]") {
  const TemporaryFolder folder;
  write(folder / "plain.tsv", "name\nA\nB\nC\n");
  CitiesTask::Config config = kind("scaled_dot");
  config.data = (folder / "plain.tsv").string();
  CitiesTask task(config, 1);
  task.prepare();
  CHECK_NOTHROW(task.predict("A", true));
  CHECK_THROWS_AS(task.size(Split::train), DataError);
  CHECK_THROWS_WITH(task.data_checksums(), Contains("plain.tsv") && Contains("alternate names"));
  CHECK(task.size(Split::test) == 0);
}

TEST_CASE("cities: the table sets the test sets side by side", "[examples]") {
  CitiesTask task = CitiesTask::tiny(kind("scaled_dot"));
  if (task.size(Split::test) > 0) {
    const Metrics metrics = task.evaluate(Split::test);
    CHECK(metrics.selected_value() == metrics.at("mrr"));
    for (const char* name : {"top1", "top5", "mrr", "entropy", "unseen_cities.top1", "baseline.exact.top1",
                             "unseen_cities.baseline.blend.mrr"}) {
      CHECK_NOTHROW(metrics.at(name));
    }
    CHECK_THAT(task.report(metrics), Contains("unseen cities") && Contains("trigram Jaccard") &&
                                         Contains("scaled_dot (this model)") && Contains("by construction"));
  }
}

TEST_CASE("cities: training has the same bits for any number of threads", "[examples][slow]") {
  for (const auto& [attention, batch] : {std::pair("scaled_dot", 32), std::pair("additive", 8)}) {
    CAPTURE(attention);
    std::vector<Tensor> one, two;
    {
      const Threads single(1);
      one = trained(CitiesTask(kind(attention), 1), 3, static_cast<std::size_t>(batch));
    }
    {
      const Threads pair(2);
      two = trained(CitiesTask(kind(attention), 1), 3, static_cast<std::size_t>(batch));
    }
    REQUIRE(one.size() == two.size());
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(same_bits(one[i], two[i]));
  }
}

TEST_CASE("cities: a short training beats a blend of name and place", "[examples][slow]") {
  if constexpr (sizeof(Real) == 4) {
    TrainConfig config = CitiesTask::defaults();
    config.steps = config.eval_every = 150;
    config.warmup = 50;
    CitiesTask task(kind("scaled_dot"), 1);
    FitState state = start_state(config);
    fit(task, config, state);
    const NoGrad no_graph;
    CHECK(task.evaluate(Split::validation).at("top1") > 55);  // the blend has 47
  }
}
