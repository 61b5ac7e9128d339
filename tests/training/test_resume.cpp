#include <csignal>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "training/fit.hpp"
#include "training/folder.hpp"
#include "training/line_task.hpp"
#include "training/rows.hpp"

// Every setting that adds something to a run's state, left and taken up again.

using namespace fovea;

namespace {

const Label label{"line", "", {}};

struct Interrupting : LineTask {
  using LineTask::LineTask;
  std::uint64_t at = 0;  // the call of loss in which the signal comes
  Loss loss(const Batch& batch, Pass& pass) {
    if (calls == at) ::raise(SIGINT);
    return LineTask::loss(batch, pass);
  }
};

TrainConfig usual() {
  TrainConfig config = LineTask::defaults();
  config.steps = 13;
  config.eval_every = 2;
  config.patience = 100;
  return config;
}

TrainConfig with(const std::string& what) {
  TrainConfig config = usual();
  if (what == "accumulate" || what == "all") config.accumulate = 3;
  if (what == "ema" || what == "all") config.ema = 0.8;
  if (what == "plateau" || what == "all") {
    config.schedule = "plateau";
    config.lr_factor = 0.5;
    config.plateau_patience = 0;
    config.plateau_threshold = 0.1;
  }
  if (what == "step") {
    config.schedule = "step";
    config.step_every = 4;
  }
  if (what == "groups" || what == "all") {
    config.groups = {{"out", 0.5}};
    config.freeze = {"bias"};
  }
  if (what == "nesterov" || what == "rmsprop" || what == "adagrad" || what == "lion") config.optimizer = what;
  return config;
}

}  // namespace

TEST_CASE("with any setting, an interrupted run ends in the same files as one that was not", "[training]") {
  const std::string what = GENERATE("accumulate", "ema", "plateau", "step", "groups", "all", "nesterov",
                                    "rmsprop", "adagrad", "lion");
  const std::uint64_t at = GENERATE(0, 4, 7, 8, 11);  // with accumulation: in windows and at their ends
  INFO(what << " at call " << at);
  const TrainConfig config = with(what);
  const TemporaryFolder whole_folder, folder;
  {
    LineTask task({}, 1);
    FitState state = start_state(config);
    Run run(whole_folder / "run", Run::Open::fresh, label);
    fit(task, config, state, &run);
    // Else there would be nothing to remember.
    if (config.schedule == "plateau") CHECK(state.position.plateau.scale < 1);
  }
  {
    Interrupting task({}, 1);
    task.at = at;
    FitState state = start_state(config);
    Run run(folder / "run", Run::Open::fresh, label);
    CHECK(fit(task, config, state, &run).signal == SIGINT);
    CHECK(state.position.step < config.steps);
  }
  LineTask task({}, 99);
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::resume, label);
  load_checkpoint(read_checkpoint(run.last()), task, state);
  fit(task, config, state, &run);
  CHECK(content(run.last()) == content(Run::last_of(whole_folder / "run")));
  CHECK(content(run.best()) == content(Run::best_of(whole_folder / "run")));
  CHECK(rows_of(folder / "run") == rows_of(whole_folder / "run"));
}

TEST_CASE("a signal in a window of accumulation waits for the step", "[training]") {
  TrainConfig config = usual();
  config.accumulate = 3;
  Interrupting task({}, 1);
  task.at = 1;
  FitState state = start_state(config);
  const TemporaryFolder folder;
  Run run(folder / "run", Run::Open::fresh, label);
  CHECK(fit(task, config, state, &run).signal == SIGINT);
  CHECK(task.calls == 3);
  CHECK(state.position.step == 1);
  CHECK(read_checkpoint(run.last()).position.step == 1);
}

TEST_CASE("a plateau lowers the rate, and remembers over a resume what it has seen", "[training]") {
  TrainConfig config = usual();
  config.schedule = "plateau";
  config.warmup = 2;
  config.lr_factor = 0.5;
  config.plateau_patience = 1;
  config.eval_every = 1;
  config.steps = 5;
  const TemporaryFolder folder;
  const auto evaluate = [&](std::vector<double> script, std::uint64_t steps, Run::Open how) {
    LineTask task({}, 1);
    task.script = std::move(script);
    FitState state = start_state(config);
    Run run(folder / "run", how, label);
    if (how == Run::Open::resume) load_checkpoint(read_checkpoint(run.last()), task, state);
    TrainConfig part = config;
    part.steps = steps;
    fit(task, part, state, &run);
  };
  evaluate({4, 3, 3}, 3, Run::Open::fresh);         // one that is not better: patience bears it
  evaluate({3, 2, 2, 2, 9}, 8, Run::Open::resume);  // the second is one too many; and again
  CHECK(read_checkpoint(Run::last_of(folder / "run")).position.plateau.scale == 0.25);
  std::vector<double> rates;
  for (const std::string& row : rows_of(folder / "run")) rates.push_back(nlohmann::json::parse(row)["lr"]);
  REQUIRE(rates.size() == 8);
  const std::vector<double> factors{0.5, 1, 1, 1, 0.5, 0.5, 0.5, 0.25};
  for (std::size_t i = 0; i < 8; ++i) CHECK(rates[i] == Approx(config.lr * factors[i]));
}

TEST_CASE("a plateau's drop is felt by the parameters", "[training]") {
  TrainConfig config = usual();
  config.optimizer = "sgd";
  config.schedule = "plateau";
  config.plateau_patience = 0;
  config.eval_every = 1;
  const auto trained = [&](double factor, std::uint64_t steps) {
    config.lr_factor = factor;
    config.steps = steps;
    LineTask task({}, 1);
    task.script = {4, 4, 4};
    FitState state = start_state(config);
    fit(task, config, state);
    return task.model.out.value();
  };
  const Tensor before = trained(1, 2), plain = trained(1, 3), slowed = trained(0.5, 3),
               start = trained(0.5, 2);
  CHECK(same_bits(before, start));  // the drop comes after the second evaluation
  for (std::size_t j = 0; j < 6; ++j) {
    CHECK(plain.data()[j] != before.data()[j]);
    CHECK(slowed.data()[j] - before.data()[j] ==
          Approx((plain.data()[j] - before.data()[j]) / 2).epsilon(1e-3));
  }
}

TEST_CASE("an evaluation that only the end of a run makes is not seen by the plateau", "[training]") {
  TrainConfig config = usual();
  config.schedule = "plateau";
  config.eval_every = 4;
  config.steps = 6;
  LineTask task({}, 1);
  task.script = {4, 1};
  FitState state = start_state(config);
  fit(task, config, state);
  CHECK(state.position.plateau.best == 4);
}

TEST_CASE("a plateau needs evaluations", "[training]") {
  struct Blind : LineTask {
    using LineTask::LineTask;
    std::size_t size(Split split) const { return split == Split::validation ? 0 : LineTask::size(split); }
  } task({}, 1);
  TrainConfig config = usual();
  config.schedule = "plateau";
  FitState state = start_state(config);
  CHECK_THROWS_WITH(fit(task, config, state), Catch::Contains("validation split is empty"));
  config.schedule = "step";
  CHECK_THROWS_WITH(fit(task, config, state), Catch::Contains("--step-every"));
}
