#include <algorithm>
#include <cmath>
#include <signal.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/parallel.hpp"
#include "optim/optimizer_names.hpp"
#include "training/fit.hpp"
#include "training/folder.hpp"
#include "training/line_task.hpp"
#include "training/rows.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

const Label label{"line", "", {}};

TrainConfig config_of(const std::string& optimizer = "adam", std::uint64_t steps = 0) {
  TrainConfig config = LineTask::defaults();
  config.optimizer = optimizer;
  config.weight_decay = optimizer == "adam" ? 0 : 0.01;
  config.steps = steps;
  return config;
}

bool same_models(LineTask& a, LineTask& b) {
  const auto left = parameters(a.model), right = parameters(b.model);
  bool same = left.size() == right.size();
  for (std::size_t i = 0; i < left.size(); ++i)
    same = same && same_bits(left[i].param->value(), right[i].param->value());
  return same;
}

}  // namespace

TEST_CASE("fit learns", "[training]") {
  LineTask task({}, 1);
  TrainConfig config = config_of();
  config.epochs = 60;
  const double before = task.evaluate(Split::test).at("error");
  task.recorded = false;
  FitState state = start_state(config);
  const FitResult result = fit(task, config, state);
  CHECK(!task.recorded);
  CHECK(task.evaluate(Split::test).at("error") < 0.2 * before);
  CHECK(state.position.step == 60 * 7);
  CHECK(!result.stopped_early);
  REQUIRE(task.passes.size() == 60 * 7);
  for (std::size_t i = 1; i < task.passes.size(); ++i) CHECK(!(task.passes[i] == task.passes[i - 1]));
}

TEST_CASE("a row holds the mean loss since the last one, and the end is saved", "[training]") {
  const auto losses = [](std::uint64_t eval_every) {
    const TemporaryFolder folder;
    TrainConfig config = config_of("adam", 6);
    config.eval_every = eval_every;
    config.save_every = 4;
    LineTask task({}, 1);
    FitState state = start_state(config);
    Run run(folder / "run", Run::Open::fresh, label);
    fit(task, config, state, &run);
    CHECK(read_checkpoint(run.last()).position.step == 6);
    std::vector<double> found;
    for (const std::string& row : rows_of(folder / "run"))
      found.push_back(nlohmann::json::parse(row)["loss"]);
    return found;
  };
  const std::vector<double> each = losses(1), pairs = losses(2);
  REQUIRE(each.size() == 6);
  REQUIRE(pairs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(pairs[i] == Approx((each[2 * i] + each[2 * i + 1]) / 2).epsilon(1e-12));
}

// Cases pytorch#3852, accelerate#4195: every stop, in an epoch (7 steps) and between two.
TEST_CASE("a run that was stopped and resumed has the bits of one that was not", "[training]") {
  const std::string optimizer = GENERATE(from_range(optimizer_names()));
  const std::uint64_t stop = GENERATE(1, 5, 7, 10, 14);
  const std::size_t count = GENERATE(1, 2);
  const std::size_t before = threads();
  set_threads(count);
  const TrainConfig config = config_of(optimizer, 17);

  const TemporaryFolder whole_folder, folder;
  LineTask whole({}, 1);
  FitState whole_state = start_state(config);
  {
    Run run(whole_folder / "run", Run::Open::fresh, label);
    fit(whole, config, whole_state, &run);
  }
  {
    LineTask task({}, 1);
    FitState state = start_state(config);
    Run run(folder / "run", Run::Open::fresh, label);
    fit(task, config_of(optimizer, stop), state, &run);
  }
  LineTask task({}, 99);  // whatever it starts from is replaced
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::resume, label);
  load_checkpoint(read_checkpoint(run.last()), task, state);
  CHECK(state.position.step == stop);
  fit(task, config, state, &run);
  set_threads(before);
  CHECK(same_models(task, whole));
  CHECK(state.optimizer->steps() == whole_state.optimizer->steps());
}

TEST_CASE("an interrupted run ends in the same files as one that was not", "[training]") {
  TrainConfig config = config_of("adam", 17);
  config.eval_every = 3;
  const TemporaryFolder whole_folder, folder;
  {
    LineTask task({}, 1);
    FitState state = start_state(config);
    Run run(whole_folder / "run", Run::Open::fresh, label);
    fit(task, config, state, &run);
  }
  {
    struct Interrupting : LineTask {
      using LineTask::LineTask;
      Loss loss(const Batch& batch, Pass& pass) {
        if (calls == 10) ::raise(SIGINT);
        return LineTask::loss(batch, pass);
      }
    } task({}, 1);
    FitState state = start_state(config);
    Run run(folder / "run", Run::Open::fresh, label);
    const FitResult result = fit(task, config, state, &run);
    CHECK(result.signal == SIGINT);
    CHECK(state.position.step == 11);  // the step at hand was finished
    CHECK(read_checkpoint(run.last()).position.step == 11);
    // What a crash between two saves leaves behind: rows that the resumed run writes again, the last cut off.
    Row row;
    row.step = 12;
    run.add(row);
    std::ofstream(folder / "run/metrics.csv", std::ios::app) << "13,2";
    std::ofstream(folder / "run/metrics.jsonl", std::ios::app) << "{\"step\":13,";
  }
  LineTask task({}, 99);
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::resume, label);
  load_checkpoint(read_checkpoint(run.last()), task, state);
  CHECK(fit(task, config, state, &run).signal == 0);
  CHECK(content(run.last()) == content(Run::last_of(whole_folder / "run")));
  CHECK(content(run.best()) == content(Run::best_of(whole_folder / "run")));
  CHECK(rows_of(folder / "run") == rows_of(whole_folder / "run"));
  CHECK(rows_of(folder / "run").size() == 6);  // after 3, 6, 9, 12, 15 and at the end
  CHECK(lines_of(folder / "run/metrics.csv").size() == 7);
}

TEST_CASE("every step sees its own items, and every epoch all of them", "[training]") {
  TrainConfig config = config_of();
  Plan plan(config, 50);
  CHECK(plan.steps_per_epoch() == 7);
  CHECK(plan.total() == 28);
  std::vector<std::vector<std::size_t>> epochs(2);
  for (std::uint64_t step = 0; step < 14; ++step) {
    const auto items = plan.items_of(step);
    CHECK(items.size() == (step % 7 == 6 ? 2 : 8));
    epochs[step / 7].insert(epochs[step / 7].end(), items.begin(), items.end());
  }
  CHECK(epochs[0] != epochs[1]);
  for (auto epoch : epochs) {
    std::sort(epoch.begin(), epoch.end());
    REQUIRE(epoch.size() == 50);
    for (std::size_t i = 0; i < 50; ++i) CHECK(epoch[i] == i);
  }
  CHECK_THROWS_AS(Plan(config, 0), ConfigError);
}

// Case keras#12511.
TEST_CASE("the best checkpoint evaluates to the best that was logged", "[training]") {
  const TemporaryFolder folder;
  TrainConfig config = config_of("sgd", 40);
  config.lr = 0.05;
  config.eval_every = 1;
  LineTask task({}, 1);
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::fresh, label);
  fit(task, config, state, &run);
  double best = 1e9;
  for (const std::string& line : rows_of(folder / "run"))
    best = std::min(best, nlohmann::json::parse(line)["error"].get<double>());
  LineTask copy({}, 2);
  load_task(read_checkpoint(run.best()), copy);
  CHECK(copy.evaluate(Split::validation).at("error") == best);
  CHECK(state.position.best == best);
  CHECK(read_checkpoint(run.best()).position.step == state.position.best_step);
}

TEST_CASE("where the selected metric is equal, its ties choose", "[training]") {
  TrainConfig config = config_of("sgd", 6);
  config.lr = 0.05;
  config.eval_every = 1;
  for (const bool settles : {false, true}) {
    LineTask task({}, 1);
    task.settles_ties = settles;
    task.script = {3, 3, 3, 3, 3, 4};
    FitState state = start_state(config);
    fit(task, config, state);
    CHECK(state.position.best_step == (settles ? 5 : 1));  // the true error falls all the time
    CHECK(state.position.stale == (settles ? 1 : 5));
  }
}

TEST_CASE("patience counts evaluations since the best one, also over a resume", "[training]") {
  const TemporaryFolder folder;
  TrainConfig config = config_of("adam", 100);
  config.eval_every = 2;
  config.patience = 3;
  config.save_every = 100;
  LineTask task({}, 1);
  task.script = {5, 4, NAN, 6};
  FitState state = start_state(config);
  {
    Run run(folder / "run", Run::Open::fresh, label);
    TrainConfig part = config;
    part.steps = 8;
    CHECK(!fit(task, part, state, &run).stopped_early);
    CHECK(state.position.stale == 2);
  }
  LineTask again({}, 1);
  again.script = {4};  // as good is not better
  FitState resumed = start_state(config);
  Run run(folder / "run", Run::Open::resume, label);
  load_checkpoint(read_checkpoint(run.last()), again, resumed);
  CHECK(fit(again, config, resumed, &run).stopped_early);
  CHECK(resumed.position.step == 10);
  CHECK(resumed.position.best == 4);
  CHECK(resumed.position.best_step == 4);
  CHECK(read_checkpoint(run.best()).position.step == 4);
  CHECK(read_checkpoint(run.last()).position.step == 10);
  CHECK(fit(again, config, resumed, &run).stopped_early);  // and stays so
  CHECK(resumed.position.step == 10);
}

// A run that is to take 20 steps, left after `stop` of them as if that had been all, then taken up again.
TEST_CASE("a run that ended off its schedule goes on like one that did not end there", "[training]") {
  const std::uint64_t stop = GENERATE(1, 5, 7, 13);
  TrainConfig config = config_of("adam", 20);
  config.eval_every = 4;
  const TemporaryFolder whole_folder, folder;
  LineTask whole({}, 1);
  FitState whole_state = start_state(config);
  {
    Run run(whole_folder / "run", Run::Open::fresh, label);
    fit(whole, config, whole_state, &run);
  }
  {
    TrainConfig part = config;
    part.steps = stop;
    LineTask task({}, 1);
    FitState state = start_state(config);
    Run run(folder / "run", Run::Open::fresh, label);
    fit(task, part, state, &run);
    CHECK(std::filesystem::exists(run.best()));  // also where no evaluation counts yet
  }
  LineTask task({}, 99);
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::resume, label);
  load_checkpoint(read_checkpoint(run.last()), task, state);
  fit(task, config, state, &run);
  CHECK(same_models(task, whole));
  CHECK(state.position == whole_state.position);
  CHECK(content(run.last()) == content(Run::last_of(whole_folder / "run")));
  CHECK(content(run.best()) == content(Run::best_of(whole_folder / "run")));
  std::vector<std::string> scheduled;
  for (const std::string& row : rows_of(folder / "run")) {
    if (nlohmann::json::parse(row)["step"].get<int>() % 4 == 0) scheduled.push_back(row);
  }
  CHECK(scheduled == rows_of(whole_folder / "run"));
}

TEST_CASE("the last evaluation counts for patience and best only when it is due", "[training]") {
  TrainConfig config = config_of("adam", 40);
  config.eval_every = 4;
  config.patience = 2;
  const auto left_and_resumed = [&](std::vector<double> before, std::vector<double> after) {
    LineTask task({}, 1);
    FitState state = start_state(config);
    TrainConfig part = config;
    part.steps = 6;
    const bool better = before[1] < before[0];
    task.script = std::move(before);
    CHECK(fit(task, part, state).last_is_better == better);
    task.script = std::move(after);
    CHECK(!fit(task, config, state).last_is_better);
    return state.position;
  };
  // Worse at step 6: two more evaluations are waited for, as without the stop there.
  CHECK(left_and_resumed({3, 9}, {4, 5}).step == 12);
  // Better at step 6: the run without the stop would not have seen it.
  const Position at = left_and_resumed({3, 1}, {2, 4, 4});
  CHECK(at.best == 2);
  CHECK(at.best_step == 8);
  CHECK(at.step == 16);
}

TEST_CASE("a first evaluation that is not a number is no best one", "[training]") {
  LineTask task({}, 1);
  task.script = {NAN};
  FitState state = start_state(config_of("adam", 1));
  TrainConfig config = config_of("adam", 1);
  config.eval_every = 1;
  fit(task, config, state);
  CHECK(!state.position.has_best);
}

TEST_CASE("a loss that is not finite names op and step, and changes nothing", "[training]") {
  const TemporaryFolder folder;
  const TrainConfig config = config_of("adam", 10);
  LineTask good({}, 1), bad({}, 1);
  FitState good_state = start_state(config), state = start_state(config);
  fit(good, config_of("adam", 4), good_state);
  bad.poisoned_step = 4;
  Run run(folder / "run", Run::Open::fresh, label);
  CHECK_THROWS_WITH(fit(bad, config, state, &run),
                    Contains("step 5") && Contains("[log]") && Contains("parameter is out"));
  CHECK(same_models(good, bad));
  CHECK(state.optimizer->steps() == 4);
  CHECK(state.position.step == 4);
  LineTask copy({}, 2);
  load_task(read_checkpoint(run.last()), copy);
  CHECK(same_models(good, copy));
}

TEST_CASE("a gradient that is not finite names parameter and step, and changes nothing", "[training]") {
  struct Steep : LineTask {
    using LineTask::LineTask;
    Loss loss(const Batch& batch, Pass& pass) {
      Loss result = LineTask::loss(batch, pass);
      if (calls == 3) model.bias.variable().on_gradient([this](const Tensor&) { spoil(); });
      return result;
    }
    void spoil() {
      static_cast<Leaf&>(*model.out.variable().node()).gradient = share(filled(Shape{1, 6}, NAN));
    }
  };
  Steep task({}, 1);
  LineTask good({}, 1);
  FitState state = start_state(config_of()), good_state = start_state(config_of());
  fit(good, config_of("adam", 2), good_state);
  CHECK_THROWS_WITH(fit(task, config_of(), state), Contains("step 3") && Contains("out [1, 6]"));
  CHECK(same_models(task, good));
  CHECK(state.optimizer->steps() == 2);
  CHECK(!task.model.out.grad());
}

TEST_CASE("the learning rate follows the plan", "[training]") {
  TrainConfig config = config_of("adam", 10);
  config.schedule = "cosine";
  config.warmup = 2;
  config.eval_every = 1;
  const TemporaryFolder folder;
  LineTask task({}, 1);
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::fresh, label);
  fit(task, config, state, &run);
  std::vector<double> rates;
  for (const std::string& row : rows_of(folder / "run")) rates.push_back(nlohmann::json::parse(row)["lr"]);
  REQUIRE(rates.size() == 10);
  CHECK(rates[0] == Approx(config.lr / 2));
  CHECK(rates[2] == Approx(config.lr));
  CHECK(rates[6] == Approx(config.lr / 2));
}

TEST_CASE("every setting of a schedule reaches it", "[training]") {
  TrainConfig config = config_of("adam", 20);
  config.lr = 1;
  const auto rate = [&](const std::string& schedule, std::uint64_t step) {
    config.schedule = schedule;
    return Plan(config, 50).rate(step);
  };
  config.lr_floor = 0.25;
  config.lr_rise = 0.5;
  config.lr_factor = 0.5;
  config.step_every = 4;
  CHECK(rate("cosine", 20) == 0.25);
  CHECK(rate("cosine", 10) == Approx(0.625));
  CHECK(rate("one_cycle", 9) == Approx(1));
  CHECK(rate("one_cycle", 6) < 1);
  CHECK(rate("step", 3) == 1);
  CHECK(rate("step", 9) == Approx(0.25));
  config.warmup = 4;
  for (const char* schedule : {"constant", "cosine", "step", "inverse_sqrt", "plateau"})
    CHECK(rate(schedule, 1) == 0.5);
}
