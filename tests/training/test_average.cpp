#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "training/fit.hpp"
#include "training/folder.hpp"
#include "training/line_task.hpp"
#include "training/rows.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

const Label label{"line", "", {}};

TrainConfig config_of(std::uint64_t steps, double ema) {
  TrainConfig config = LineTask::defaults();
  config.steps = steps;
  config.eval_every = 1;
  config.ema = ema;
  return config;
}

}  // namespace

TEST_CASE("averaged weights are what is evaluated and saved; training does not see them", "[training]") {
  const TemporaryFolder folder;
  // The average by hand, from a run that keeps none.
  LineTask plain({}, 1);
  FitState plain_state = start_state(config_of(6, 0));
  std::vector<double> average;
  for (std::uint64_t step = 1; step <= 6; ++step) {
    fit(plain, config_of(step, 0), plain_state);
    const Tensor& out = plain.model.out.value();
    for (std::size_t j = 0; j < 6; ++j) {
      if (step == 1) average.push_back(out.data()[j]);
      average[j] = 0.75 * average[j] + 0.25 * static_cast<double>(out.data()[j]);
    }
  }

  LineTask task({}, 1);
  const TrainConfig config = config_of(6, 0.75);
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::fresh, label);
  fit(task, config, state, &run);
  CHECK(same_bits(task.model.out.value(), plain.model.out.value()));

  LineTask loaded({}, 2);
  load_task(read_checkpoint(run.last()), loaded);
  for (std::size_t j = 0; j < 6; ++j) CHECK(loaded.model.out.value().data()[j] == Approx(average[j]));
  const NoGrad no_graph;
  const double logged = nlohmann::json::parse(rows_of(folder / "run").back())["error"];
  CHECK(loaded.evaluate(Split::validation).at("error") == logged);
  CHECK(task.evaluate(Split::validation).at("error") != logged);

  // The best one evaluates to the best that was logged.
  load_task(read_checkpoint(run.best()), loaded);
  CHECK(loaded.evaluate(Split::validation).at("error") == state.position.best);

  // Taken up again: the training weights and the average, each bit of both.
  LineTask resumed({}, 3);
  FitState resumed_state = start_state(config);
  load_checkpoint(read_checkpoint(run.last()), resumed, resumed_state);
  CHECK(same_bits(resumed.model.out.value(), task.model.out.value()));
  CHECK(same_bits(resumed_state.average->state().at("out"), state.average->state().at("out")));
}

TEST_CASE("a checkpoint without the weights of an average cannot be gone on with", "[training]") {
  const TemporaryFolder folder;
  LineTask task({}, 1);
  FitState state = start_state(config_of(1, 0));
  fit(task, config_of(1, 0), state);
  save_checkpoint(folder / "x.fovea", task, state, label);
  FitState averaged = start_state(config_of(1, 0.5));
  CHECK_THROWS_WITH(load_checkpoint(read_checkpoint(folder / "x.fovea"), task, averaged),
                    Contains("missing: weights/bias, weights/hidden, weights/out"));
}

TEST_CASE("an evaluation that throws leaves the training weights in place", "[training]") {
  struct Throwing : LineTask {
    using LineTask::LineTask;
    Metrics evaluate(Split split) {
      if (calls == 3) throw DataError("x:1:1: no");
      return LineTask::evaluate(split);
    }
  } task({}, 1);
  LineTask plain({}, 1);
  FitState state = start_state(config_of(5, 0.5)), plain_state = start_state(config_of(3, 0));
  CHECK_THROWS_AS(fit(task, config_of(5, 0.5), state), DataError);
  fit(plain, config_of(3, 0), plain_state);
  CHECK(same_bits(task.model.out.value(), plain.model.out.value()));
}
