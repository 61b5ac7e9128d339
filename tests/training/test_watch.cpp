#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/draw.hpp"
#include "modules/attention/attention.hpp"
#include "modules/linear.hpp"
#include "training/fit.hpp"
#include "training/folder.hpp"
#include "training/rows.hpp"

// What --watch sees of a training, and what it says of one that was spoiled.

using namespace fovea;
using Catch::Contains;

namespace {

const Label label{"pick", "", {}};

struct PickModel {
  Linear query;
  ScoredAttention attention;
  Linear out;
  FIELDS(query, attention, out)
};

// Each query is a noisy key of its own row; the answer is that key's value.
struct PickTask {
  struct Batch {
    Tensor queries, keys, values, y;
  };
  PickModel model;
  std::size_t width, keys = 6;
  bool cut = false;                    // no gradient gets through the attention
  std::optional<std::size_t> spoiled;  // an item that holds a NaN

  PickTask(const std::string& score, std::size_t in_width, std::uint64_t seed) : width(in_width) {
    Rng rng(seed);
    model.query = Linear(width, width, rng);
    model.attention.score = make_score(score, width, width, 8, rng);
    model.out = Linear(2, 1, rng);
  }
  std::size_t size(Split split) const { return split == Split::train ? 64 : 16; }

  Batch batch(Split split, std::span<const std::size_t> items, Rng&) const {
    const std::size_t n = items.size();
    Batch batch{uninitialized(Shape{n, 1, width}), uninitialized(Shape{n, keys, width}),
                uninitialized(Shape{n, keys, 2}), uninitialized(Shape{n, 1, 1})};
    for (std::size_t i = 0; i < n; ++i) {
      Rng own = Rng(split == Split::train ? 5 : 6).split(items[i]);
      const Tensor some = normal(own, Shape{keys, width}, 0, 1), values = normal(own, Shape{keys, 2}, 0, 1);
      const std::size_t right = items[i] % keys;
      std::copy_n(some.data(), some.size(), batch.keys.data() + i * some.size());
      std::copy_n(values.data(), values.size(), batch.values.data() + i * values.size());
      for (std::size_t j = 0; j < width; ++j)
        batch.queries.data()[i * width + j] =
            some.data()[right * width + j] + static_cast<Real>(0.1 * own.normal());
      batch.y.data()[i] = values.data()[2 * right];
      if (split == Split::train && spoiled == items[i]) batch.values.data()[i * values.size()] = NAN;
    }
    return batch;
  }

  Loss loss(const Batch& batch, Pass& pass) {
    const Attended seen =
        model.attention(model.query(batch.queries), model.attention.prepare(batch.keys), batch.values, pass);
    const Variable context = cut ? Variable(seen.context.value()) : seen.context;
    return {mse(model.out(context), batch.y), static_cast<double>(batch.y.size())};
  }
  Metrics evaluate(Split split) {
    std::vector<std::size_t> items(size(split));
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = i;
    Rng rng;
    Pass pass = Pass::evaluation();
    Metrics metrics;
    metrics.add("error", loss(batch(split, items, rng), pass).value.item());
    metrics.selected = "error";
    metrics.higher_is_better = false;
    return metrics;
  }
  template <class Archive>
  void state(Archive&) {}
};

TrainConfig watching() {
  TrainConfig config;
  config.watch = true;
  config.steps = 40;
  config.eval_every = 10;
  config.batch_size = 16;
  config.lr = 0.01;
  return config;
}

// What the log of a training holds.
std::string log_of(PickTask& task, const TrainConfig& config) {
  const TemporaryFolder folder;
  FitState state = start_state(config);
  {
    Run run(folder / "run", Run::Open::fresh, label);
    fit(task, config, state, &run);
  }
  return content(folder / "run/train.log");
}

HeadFacts facts_of(const Tensor& scores, const Tensor& weights) {
  const Observed call{nullptr, Variable(scores), Variable(weights), {}};
  std::vector<HeadFacts> heads;
  add_heads(heads, "one", std::span(&call, 1));
  REQUIRE(heads.size() == 1);
  return heads.front();
}

}  // namespace

TEST_CASE("a training that is well is watched without a warning", "[training]") {
  const std::string score = GENERATE("scaled_dot", "additive", "dot");
  PickTask task(score, 8, 1);
  CHECK_THAT(log_of(task, watching()), !Contains("warning"));
}

TEST_CASE("spoiled: dot products of wide vectors without their scale", "[training]") {
  PickTask spoiled("dot", 1024, 1), sound("scaled_dot", 1024, 1);
  TrainConfig config = watching();
  config.steps = 1;
  config.lr = 1e-4;
  CHECK_THAT(log_of(spoiled, config), Contains("attention, head 0 has collapsed: ") &&
                                          Contains("without 1/√width") && Contains("take scaled_dot") &&
                                          Contains("before anything was learned"));
  CHECK_THAT(log_of(sound, config), !Contains("warning"));
}

TEST_CASE("spoiled: a gradient that is cut", "[training]") {
  PickTask spoiled("scaled_dot", 8, 1);
  spoiled.cut = true;
  CHECK_THAT(log_of(spoiled, watching()),
             Contains("no gradient reaches query.weight, query.bias: nothing that the loss "
                      "hangs on was computed with them") &&
                 Contains("was taken out of the graph"));
}

TEST_CASE("spoiled: a NaN in the data", "[training]") {
  PickTask spoiled("scaled_dot", 8, 1);
  spoiled.spoiled = 37;
  CHECK_THROWS_WITH(
      log_of(spoiled, watching()),
      Contains("step ") && Contains("batch 1 of 1: [loss] it is nan") &&
          Contains("item 37 of the training split, counted from 0, makes it so alone: look at these data"));
}

TEST_CASE("spoiled: a learning rate of a thousand times as much", "[training]") {
  PickTask spoiled("scaled_dot", 8, 1);
  TrainConfig config = watching();
  config.lr *= 1000;
  CHECK_THAT(log_of(spoiled, config), Contains("one step changes query.weight, out.weight by up to ") &&
                                          Contains("the learning rate is too high; try a hundredth of --lr"));
}

TEST_CASE("watching changes nothing of a training", "[training]") {
  const TemporaryFolder folder;
  const auto train = [&](const std::string& name, bool watch) {
    PickTask task("additive", 8, 1);
    TrainConfig config = watching();
    config.watch = watch;
    FitState state = start_state(config);
    Run run(folder / name, Run::Open::fresh, label);
    fit(task, config, state, &run);
  };
  train("with", true);
  train("without", false);
  CHECK(content(Run::last_of(folder / "with")) == content(Run::last_of(folder / "without")));
  const std::vector<std::string> rows = lines_of(folder / "with/watch.jsonl");
  REQUIRE(rows.size() == 5);  // the first step, and the four before an evaluation
  const auto last = nlohmann::json::parse(rows.back());
  CHECK(last["step"] == 40);
  CHECK(last["attentions"][0]["path"] == "attention");
  CHECK(last["attentions"][0]["queries"] == 16);
  CHECK(last["parameters"]["query.weight"]["gradient"] > 0);
  CHECK(!std::filesystem::exists(folder / "without/watch.jsonl"));
}

TEST_CASE("facts of a head: masked keys are left out, weights too small to be told from 0 are not",
          "[training]") {
  // Two queries of three keys: the third key of the first is masked; the third of the second is 100 below.
  const Real half = Real(0.5);
  Tensor scores = zeros(Shape{1, 1, 2, 3}), weights = zeros(Shape{1, 1, 2, 3});
  const Real raw[] = {1, 1, 9, 3, 2, -100}, share[] = {half, half, 0, Real(0.995), Real(0.005), 0};
  std::copy_n(raw, 6, scores.data());
  std::copy_n(share, 6, weights.data());
  const HeadFacts facts = facts_of(scores, weights);
  CHECK(facts.queries == 2);
  CHECK(facts.lowest == -100);
  CHECK(facts.highest == 3);
  CHECK(facts.spread == Approx((0 + 103) / 2.0));
  CHECK(facts.saturated == Approx(0.5));
  const double second = -0.995 * std::log(0.995) - 0.005 * std::log(0.005);
  CHECK(facts.entropy == Approx((std::log(2.0) + second) / 2));
  CHECK(facts.evenness == Approx((1 + second / std::log(3.0)) / 2));
}

TEST_CASE("facts of a head: queries with one key or none do not count", "[training]") {
  Tensor scores = zeros(Shape{1, 1, 2, 2}), weights = zeros(Shape{1, 1, 2, 2});
  weights.data()[0] = 1;
  CHECK(facts_of(scores, weights).queries == 0);
}

namespace {

// A look at one attention and one parameter that are well.
Watched well(double loss) {
  return {1,
          loss,
          loss,
          {{.path = "a", .queries = 5, .spread = 4, .evenness = 0.6}},
          {{.path = "w", .matrix = true, .norm = 1, .gradient = 1.0}}};
}

}  // namespace

TEST_CASE("findings are told once for each place, and only when they last", "[training]") {
  Watched look = well(2);
  look.heads[0].evenness = 1;
  look.params[0].gradient = 0;
  Findings findings;
  CHECK(
      findings.of(look).empty());  // at first weights may be equal, and a layer of zeros may hide a gradient
  CHECK_THAT(findings.of(look).at(0), Contains("gradient of w is exactly 0"));
  CHECK(findings.of(look).empty());
  CHECK_THAT(findings.of(look).at(0), Contains("a, head 0 is uniform"));
  CHECK(findings.of(look).empty());
  look.params[0].gradient.reset();
  CHECK_THAT(findings.of(look).at(0), Contains("no parameter receives a gradient"));
}

TEST_CASE("an attention that begins to tell keys apart is not called uniform", "[training]") {
  Watched look = well(2);
  look.heads[0].evenness = 0.995;
  Findings findings;
  for (int i = 0; i < 8; ++i) {
    CHECK(findings.of(look).empty());
    look.heads[0].spread *= 1.5;
  }
}

TEST_CASE("a sharp attention is collapsed where nothing was learned, and well where much was", "[training]") {
  Watched look = well(2);
  look.heads[0].saturated = 1;
  CHECK_THAT(Findings(true).of(look).at(0), Contains("before anything was learned"));
  const auto later = [&](double loss) {
    Findings findings(true);
    findings.of(well(2));
    look.loss = look.mean_loss = loss;
    CHECK(findings.of(look).empty());
    return findings.of(look);
  };
  CHECK_THAT(later(1.5).at(0), Contains("has collapsed") && !Contains("before anything"));
  CHECK(later(0.2).empty());
  // A resumed run is not at its first look, and knows what that showed.
  look.loss = look.mean_loss = 0.2;
  Findings resumed(false, 2);
  CHECK(resumed.of(look).empty());
  CHECK(resumed.of(look).empty());
  look.heads[0].spread = 100;
  CHECK_THAT(resumed.of(look).at(0), Contains("with scores 100 apart"));
}

TEST_CASE("a loss that rises is told of when it does so much or for long", "[training]") {
  Findings much;
  CHECK(much.of(well(2)).empty());
  CHECK_THAT(much.of(well(70)).at(0), Contains("the loss is 70 and was 2 at first"));
  Findings for_long;
  for (const double loss : {0.1, 0.2, 0.25, 0.2, 0.7, 0.2}) CHECK(for_long.of(well(loss)).empty());
  CHECK(for_long.of(well(0.7)).empty());
  CHECK_THAT(for_long.of(well(0.8)).at(0), Contains("the loss is 0.8 and was 0.2: it rises"));
  Findings numberless;
  CHECK(numberless.of(well(NAN)).empty());
  CHECK(numberless.of(well(NAN)).empty());
}

TEST_CASE("a step that is left out, or ends the run, is looked at all the same", "[training]") {
  const TemporaryFolder folder;
  PickTask spoiled("scaled_dot", 8, 1);
  spoiled.spoiled = 37;
  TrainConfig config = watching();
  config.eval_every = 1;
  config.steps = 4;
  config.on_nonfinite = GENERATE("stop", "skip:2");
  const bool stops = config.on_nonfinite == "stop";
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::fresh, label);
  if (stops) {
    CHECK_THROWS_AS(fit(spoiled, config, state, &run), DivergedError);
  } else {
    fit(spoiled, config, state, &run);
  }
  const std::vector<std::string> rows = lines_of(folder / "run/watch.jsonl");
  CHECK(rows.size() == (stops ? state.position.step + 1 : 4));
  CHECK(std::any_of(rows.begin(), rows.end(),
                    [](const std::string& row) { return nlohmann::json::parse(row)["loss"].is_null(); }));
}

TEST_CASE("a resumed run is looked at where the uninterrupted one is", "[training]") {
  const TemporaryFolder folder;
  const auto train = [&](const std::string& name, const std::vector<std::string>& stops) {
    for (std::size_t session = 0; session <= stops.size(); ++session) {
      PickTask task("additive", 8, 1);
      TrainConfig config = watching();
      config.interrupt_at = stops;
      FitState state = start_state(config);
      Run run(folder / name, session ? Run::Open::resume : Run::Open::fresh, label);
      if (session) load_checkpoint(read_checkpoint(run.last()), task, state);
      fit(task, config, state, &run);
    }
  };
  train("whole", {});
  train("stopped", {"3", "17"});
  CHECK(content(folder / "whole/watch.jsonl") == content(folder / "stopped/watch.jsonl"));
}
