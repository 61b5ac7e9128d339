#include <catch2/catch.hpp>

#include "autograd/gradcheck.hpp"
#include "core/parallel.hpp"
#include "examples/g2p/task.hpp"
#include "examples/sequences/pairs_task.hpp"
#include "examples/sequences/show.hpp"
#include "training/fit.hpp"
#include "training/folder.hpp"

using namespace fovea;
using namespace fovea::sequences;
using Catch::Contains;

namespace {

using CopyTask = ToyTaskOf<Toy::copy>;

struct Kind {
  std::string model, attention;
};
const std::vector<Kind> kinds{{"lstm", "additive"},   {"lstm", "dot"},
                              {"lstm", "scaled_dot"}, {"lstm", "general"},
                              {"gru", "additive"},    {"transformer", "additive"},
                              {"transformer", "dot"}, {"transformer", "scaled_dot"}};

template <class Config>
Config config_of(const Kind& kind) {
  Config config;
  config.model = kind.model;
  config.attention.score = kind.attention;
  return config;
}

template <class T>
Batch batch_of(const T& task, std::vector<std::size_t> items) {
  Rng rng;
  return task.batch(Split::train, items, rng);
}

template <class T>
double loss_of(T& task, const Batch& batch, std::uint64_t step = 0) {
  Pass pass{.training = true, .rng = Rng(3), .step = step};
  return static_cast<double>(task.loss(batch, pass).value.item());
}

CopyTask::Config small_copy() {
  CopyTask::Config config;
  config.width = 16;
  config.layers = 1;
  config.heads = 2;
  config.inner = 16;
  config.symbols = 4;
  config.shortest = 1;
  config.longest = 6;
  config.sequences = 60;
  return config;
}

// The parameters after a few steps.
std::vector<Tensor> trained(std::size_t threads, const Kind& kind = {"lstm", "additive"},
                            bool recompute = false) {
  set_threads(threads);
  CopyTask::Config config = small_copy();
  config.width = 64;
  config.layers = kind.model == "transformer" ? 2 : 1;
  config.model = kind.model;
  config.attention.score = kind.attention;
  config.recompute = recompute;
  config.guide = "diagonal:2";
  CopyTask task(config, 1);
  task.entropy_weight = 0.1;
  TrainConfig train = CopyTask::defaults();
  train.batch_size = 60;
  train.steps = 3;
  FitState state = start_state(train);
  fit(task, train, state);
  set_threads(0);
  std::vector<Tensor> values;
  for (const NamedParam& named : parameters(task.model)) values.push_back(named.param->value());
  return values;
}

}  // namespace

TEST_CASE("sequences: gradients of every model and score, with entropy and guide", "[examples]") {
  if constexpr (sizeof(Real) == 8) {
    for (const Kind& kind : kinds) {
      CAPTURE(kind.model, kind.attention);
      auto config = config_of<G2pTask::Config>(kind);
      config.guide = "diagonal:1";
      G2pTask task = G2pTask::tiny(config);
      task.entropy_weight = 0.3;
      const Batch batch = batch_of(task, {0, 1, 2, 3});
      const GradcheckReport report = gradcheck(parameters(task.model),
                                               [&] {
                                                 Pass pass{.training = true, .rng = Rng(3)};
                                                 return task.loss(batch, pass).value;
                                               },
                                               {});
      INFO(report.text());
      CHECK(report.passed);
    }
  }
}

TEST_CASE("sequences: padding costs nothing", "[examples]") {
  auto config = config_of<G2pTask::Config>({"transformer", "scaled_dot"});
  config.dropout = 0;
  G2pTask task = G2pTask::tiny(config);
  task.entropy_weight = 0.3;
  const Batch both = batch_of(task, {1, 3}), first = batch_of(task, {1}), second = batch_of(task, {3});
  const double tokens = static_cast<double>(first.tokens() + second.tokens());
  CHECK(both.tokens() == first.tokens() + second.tokens());
  Pass pass;
  CHECK(task.loss(both, pass).count == tokens);
  // The cross entropy alone is a mean over tokens; the entropies' means are by attention.
  task.entropy_weight = 0;
  CHECK(loss_of(task, both) == Approx((loss_of(task, first) * static_cast<double>(first.tokens()) +
                                       loss_of(task, second) * static_cast<double>(second.tokens())) /
                                      tokens)
                                   .epsilon(1e-5));
}

TEST_CASE("sequences: the guide is on in its steps alone, and is not there when measured", "[examples]") {
  auto config = config_of<G2pTask::Config>({"lstm", "additive"});
  G2pTask plain = G2pTask::tiny(config);
  config.guide = "diagonal:5";
  G2pTask guided = G2pTask::tiny(config);
  const Batch batch = batch_of(plain, {0, 1, 2});
  CHECK(loss_of(guided, batch, 4) > loss_of(plain, batch, 4));
  CHECK(loss_of(guided, batch, 5) == loss_of(plain, batch, 5));
  Pass pass;
  CHECK(guided.loss(batch, pass).value.item() == plain.loss(batch, pass).value.item());
  for (const std::string bad : {"diagonal", "diagonal:", "diagonal:x", "diagonal:3x", "5"}) {
    config.guide = bad;
    CHECK_THROWS_WITH(G2pTask::tiny(config), Contains("--guide") && Contains(bad));
  }
}

TEST_CASE("sequences: the part of own inputs over the steps", "[examples]") {
  SequenceConfig config;
  CHECK(config.own_inputs(0) == 0);
  CHECK(config.own_inputs(1000000) == 0);
  config.teacher_floor = 0.6;
  CHECK(config.own_inputs(0) == Approx(0.4));
  config.teacher_steps = 100;
  for (const std::string kind : {"linear", "inverse-sigmoid"}) {
    config.teacher_forcing = kind;
    CAPTURE(kind);
    CHECK(config.own_inputs(0) == Approx(0).margin(1e-12));
    CHECK(config.own_inputs(50) == Approx(0.2));
    CHECK(config.own_inputs(100) == Approx(0.4));
    CHECK(config.own_inputs(1000) == Approx(0.4));
  }
  config.teacher_forcing = "linear";
  CHECK(config.own_inputs(25) == Approx(0.1));
  config.teacher_forcing = "inverse-sigmoid";
  CHECK(config.own_inputs(25) < 0.05);
}

TEST_CASE("sequences: the same bits for any number of threads", "[examples]") {
  const auto one = trained(1), two = trained(2);
  REQUIRE(one.size() == two.size());
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(same_bits(one[i], two[i]));
}

TEST_CASE("sequences: recomputed layers are trained to the same bits", "[examples]") {
  for (const Kind& kind : kinds) {
    if (kind.model != "transformer") continue;
    const auto plain = trained(1, kind), again = trained(2, kind, true);
    REQUIRE(plain.size() == again.size());
    for (std::size_t i = 0; i < plain.size(); ++i) CHECK(same_bits(plain[i], again[i]));
    const auto nodes = [&](bool recompute) {
      auto config = config_of<G2pTask::Config>(kind);
      config.recompute = recompute;
      G2pTask task = G2pTask::tiny(config);
      const std::int64_t before = live_nodes();
      Pass pass{.training = true, .rng = Rng(3)};
      const Loss loss = task.loss(batch_of(task, {0, 1}), pass);
      return live_nodes() - before;
    };
    CHECK(nodes(true) < nodes(false));
  }
}

TEST_CASE("sequences: a loaded model answers as the saved one, without its data", "[examples]") {
  const TemporaryFolder folder;
  for (const std::string model : {"lstm", "transformer"}) {
    PairsTask::Config config;
    write(folder / "pairs.tsv", "ab\txy\nba\tyx\nabba\txyyx\nb\ty\n");
    config.data = folder / "pairs.tsv";
    config.model = model;
    config.attention.score = "additive";
    config.width = 16;
    config.n_best = 3;
    PairsTask task(config, 7);
    const TrainConfig train = PairsTask::defaults();
    FitState state = start_state(train);
    save_checkpoint(folder / "m.fovea", task, state, {PairsTask::name, "", {}});
    std::filesystem::remove(folder / "pairs.tsv");
    PairsTask loaded(config, WithoutData{});
    load_task(read_checkpoint(folder / "m.fovea"), loaded);
    const std::vector<std::string> lines{"ab", "b", "aaaabbb"};
    CHECK(loaded.predict(lines, true) == task.predict(lines, true));
    CHECK(loaded.predict(lines, true)[0] != loaded.predict(lines, true)[1]);
  }
}

TEST_CASE("sequences: answers to lines together are those to each alone", "[examples]") {
  for (const Kind& kind : kinds) {
    CAPTURE(kind.model, kind.attention);
    auto config = config_of<G2pTask::Config>(kind);
    config.beam = 3;
    const G2pTask task = G2pTask::tiny(config);
    const std::vector<std::string> lines{"cab", "a", "beadcab", "ACE"};
    const std::vector<std::string> together = task.predict(lines, false);
    for (std::size_t i = 0; i < lines.size(); ++i)
      CHECK(task.predict(std::span(&lines[i], 1), false)[0] == together[i]);
  }
}

TEST_CASE("sequences: what is printed for a line", "[examples]") {
  auto config = config_of<G2pTask::Config>({"transformer", "additive"});
  config.alignment = true;
  config.beam = config.n_best = 2;
  const G2pTask task = G2pTask::tiny(config);
  const std::vector<std::string> lines{"caé"};
  const std::string text = task.predict(lines, false)[0];
  CHECK_THAT(text, Catch::StartsWith("caé\t") && Contains("\n  </s>"));
  const std::string json = task.predict(lines, true)[0];
  CHECK_THAT(json, Contains("\"unknown\":[\"É\"]") && Contains("\"alignment\":[[") &&
                       Contains("\"decoder.layers.0.cross_attention\":[[[") && Contains("\"score\":"));
  CHECK_THROWS_WITH(task.predict(std::vector<std::string>{""}, false), Contains("empty"));
  config.n_best = 3;
  CHECK_THROWS_WITH(G2pTask::tiny(config), Contains("--n-best") && Contains("--beam"));
}

TEST_CASE("sequences: metrics name every attention's entropy", "[examples]") {
  auto config = config_of<G2pTask::Config>({"transformer", "scaled_dot"});
  config.layers = 2;
  G2pTask task = G2pTask::tiny(config);
  const NoGrad no_graph;
  const Metrics metrics = task.evaluate(Split::train);
  CHECK(metrics.selected == "wer");
  CHECK_FALSE(metrics.higher_is_better);
  CHECK(metrics.at("wer") >= 0);
  CHECK(metrics.at("entropy.encoder.layers.0.self_attention.1") > 0);
  CHECK(metrics.at("entropy.decoder.layers.1.cross_attention.0") < std::log(4.0) + 1e-6);
  CHECK(metrics.at("diagonal") <= 100 + 1e-6);
}

TEST_CASE("sequences: copy, reverse and sort are solved", "[examples][slow]") {
  if constexpr (sizeof(Real) == 4) {
    // Smaller than they come: 8 symbols, 3 to 6 of them.
    ToyTask::Config small;
    small.width = 64;
    small.symbols = 8;
    small.longest = 6;
    small.sequences = 20000;
    const auto solved = [](auto task, const char* kind) {
      TrainConfig train = ToyTask::defaults();
      FitState state = start_state(train);
      fit(task, train, state);
      const NoGrad no_graph;
      INFO(kind);
      CHECK(task.evaluate(Split::test).at("ser") == 0);
    };
    solved(ToyTaskOf<Toy::copy>(small, 1), "copy");
    solved(ToyTaskOf<Toy::reverse>(small, 1), "reverse");
    solved(ToyTaskOf<Toy::sort>(small, 1), "sort");
  }
}

TEST_CASE("sequences: what was looked at is told, also where the attention is spread", "[examples]") {
  const std::vector<std::string> tokens{"a", "b", "c"};
  CHECK(read_off(std::vector<double>{0.2, 0.75, 0.05}, tokens) == "b[2] 0.75, a[1] 0.20");
  CHECK(read_off(std::vector<double>{0.05, 0.09, 0.03}, tokens) == "b[2] 0.09");
  CHECK(read_off({}, {}).empty());
}
