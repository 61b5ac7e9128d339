#include <catch2/catch.hpp>

#include "training/fit.hpp"
#include "training/folder.hpp"
#include "training/line_task.hpp"
#include "training/rows.hpp"

// Steps whose loss or gradient is not finite: what is said of them, and leaving them out.

using namespace fovea;
using Catch::Contains;

namespace {

const Label label{"line", "", {}};

// Some items of the training split are not numbers.
struct Spoiled : LineTask {
  using LineTask::LineTask;
  std::vector<std::size_t> spoiled;

  Batch batch(Split split, std::span<const std::size_t> items, Rng& rng) const {
    Batch batch = LineTask::batch(split, items, rng);
    for (std::size_t i = 0; i < items.size(); ++i)
      if (split == Split::train && std::count(spoiled.begin(), spoiled.end(), items[i]))
        batch.x.data()[3 * i] = NAN;
    return batch;
  }
};

// The gradient of a step is not finite though its loss is.
struct Steep : LineTask {
  using LineTask::LineTask;
  std::uint64_t first = 3, last = 3;  // steps, from 1

  Loss loss(const Batch& batch, Pass& pass) {
    Loss result = LineTask::loss(batch, pass);
    if (!pass.training || pass.step + 1 < first || pass.step + 1 > last) return result;
    result.value = result.value + scale(sum(sqrt(model.bias.variable() - model.bias.variable())), Real(1));
    return result;
  }
};

TrainConfig usual(const std::string& on_nonfinite) {
  TrainConfig config = LineTask::defaults();
  config.on_nonfinite = on_nonfinite;
  config.steps = 14;
  config.eval_every = 3;
  return config;
}

}  // namespace

TEST_CASE("data that are not numbers are named by batch and item", "[training]") {
  TrainConfig config = usual("stop");
  config.accumulate = 2;
  Spoiled task({}, 1);
  task.spoiled = {17, 31};
  FitState state = start_state(config);
  CHECK_THROWS_WITH(fit(task, config, state), Contains("step ") && Contains(", batch ") &&
                                                  Contains(" of 2: [loss]") &&
                                                  (Contains("; item 17 of the training split") ||
                                                   Contains("; item 31 of the training split") ||
                                                   Contains("; items 17, 31 of the training split") ||
                                                   Contains("; items 31, 17 of the training split")) &&
                                                  Contains("alone: look at these data") && !Contains("--lr"));
}

TEST_CASE("parameters that make every loss infinite are told apart from data that do", "[training]") {
  LineTask task({}, 1);
  task.poisoned_step = 2;
  const TrainConfig config = usual("stop");
  FitState state = start_state(config);
  CHECK_THROWS_WITH(fit(task, config, state), Contains("step 3, batch 1 of 1: [loss]") &&
                                                  Contains("each of its 8 items makes it so alone (items ") &&
                                                  Contains("try a lower --lr"));
}

TEST_CASE("a step that is not finite is left out, and nothing changes by it", "[training]") {
  const TemporaryFolder folder;
  const TrainConfig config = usual("skip:1");
  Steep task({}, 1);
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::fresh, label);
  fit(task, config, state, &run);
  CHECK(state.position.step == 14);
  CHECK(state.position.skipped == 0);
  CHECK(state.optimizer->steps() == 13);
  const std::string log = content(folder / "run/train.log");
  CHECK_THAT(log,
             Contains("step 3: [") && Contains("[sqrt]") && Contains("; left out, 1 in a row of at most 1"));
  CHECK(log.find("left out") == log.rfind("left out"));

  TrainConfig two = config;
  two.steps = 3;
  Steep short_task({}, 1);
  FitState after = start_state(two);
  fit(short_task, two, after);
  CHECK(after.position.skipped == 1);
  CHECK(after.position.loss_count == 0);  // the evaluation of step 3 has closed the books on steps 1 and 2
  two.steps = 2;
  two.on_nonfinite = "stop";
  LineTask before({}, 1);
  FitState at_two = start_state(two);
  fit(before, two, at_two);
  CHECK((short_task.model.out.value() == before.model.out.value()));
  CHECK((short_task.model.hidden.value() == before.model.hidden.value()));
}

TEST_CASE("more steps in a row than are allowed end the training, at the last good one", "[training]") {
  const TemporaryFolder folder;
  TrainConfig config = usual("skip:2");
  Steep task({}, 1);
  task.last = 1000;
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::fresh, label);
  CHECK_THROWS_WITH(fit(task, config, state, &run), Contains("step 5: ["));
  CHECK(state.position.step == 4);
  const Checkpoint saved = read_checkpoint(run.last());
  CHECK(saved.position.step == 4);
  CHECK(saved.position.skipped == 2);
  LineTask copy({}, 9), good({}, 1);
  load_task(saved, copy);
  config.steps = 2;
  FitState good_state = start_state(config);
  fit(good, config, good_state);
  CHECK((copy.model.out.value() == good.model.out.value()));
}

TEST_CASE("a run that leaves out steps is resumed to the same bits", "[training]") {
  const TemporaryFolder folder;
  const auto train = [&](const std::string& name, const std::vector<std::string>& stops) {
    TrainConfig config = usual("skip:5");
    config.interrupt_at = stops;
    for (std::size_t session = 0; session <= stops.size(); ++session) {
      Spoiled task({}, session ? 99 : 1);
      task.spoiled = {3, 17, 31, 40};
      FitState state = start_state(config);
      Run run(folder / name, session ? Run::Open::resume : Run::Open::fresh, label);
      if (session) load_checkpoint(read_checkpoint(run.last()), task, state);
      CHECK((fit(task, config, state, &run).signal != 0) == (session < stops.size()));
    }
  };
  train("whole", {});
  train("stopped", {"2", "5", "6", "9"});
  CHECK_THAT(content(folder / "whole/train.log"), Contains("left out, 2 in a row of at most 5"));
  CHECK(content(Run::last_of(folder / "whole")) == content(Run::last_of(folder / "stopped")));
  CHECK(rows_of(folder / "whole") == rows_of(folder / "stopped"));
}

TEST_CASE("a resumed run that may leave out fewer steps stops at the next one", "[training]") {
  const TemporaryFolder folder;
  Steep task({}, 1);
  task.last = 1000;
  TrainConfig config = usual("skip:5");
  {
    FitState state = start_state(config);
    Run run(folder / "run", Run::Open::fresh, label);
    CHECK_THROWS_AS(fit(task, config, state, &run), DivergedError);
  }
  config.on_nonfinite = GENERATE("stop", "skip:2", "skip:5");
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::resume, label);
  load_checkpoint(read_checkpoint(run.last()), task, state);
  CHECK(state.position.skipped == 5);
  CHECK_THROWS_WITH(fit(task, config, state, &run), Contains("step 8: ["));
}

TEST_CASE("a row over steps that were all left out has no loss", "[training]") {
  const TemporaryFolder folder;
  TrainConfig config = usual("skip:9");
  config.eval_every = 2;
  config.steps = 6;
  Steep task({}, 1);
  task.last = 4;
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::fresh, label);
  fit(task, config, state, &run);
  const std::vector<std::string> rows = lines_of(folder / "run/metrics.csv");
  REQUIRE(rows.size() == 4);
  CHECK_THAT(rows[2], Catch::StartsWith("4,1,nan,"));
  CHECK(nlohmann::json::parse(rows_of(folder / "run")[1])["loss"].is_null());
  CHECK_THAT(rows[3], !Contains("nan"));
}

TEST_CASE("what to do about them is stop, or skip with a number", "[training]") {
  const std::string text = GENERATE("skip", "skip:", "skip:0", "skip:x", "skip:-1", "go on", "");
  CHECK_THROWS_AS(Plan(usual(text), 10), ConfigError);
  CHECK_THROWS_WITH(Plan(usual(text), 10),
                    Contains("expected stop or skip:N") && Contains("\"" + text + "\""));
}
