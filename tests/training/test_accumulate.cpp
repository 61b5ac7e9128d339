#include <csignal>

#include <catch2/catch.hpp>

#include "training/fit.hpp"
#include "training/line_task.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-12;

LineTask::Config quiet() {
  LineTask::Config config;
  config.dropout = config.noise = 0;
  return config;
}

TrainConfig config_of(std::uint64_t batch_size, std::uint64_t accumulate) {
  TrainConfig config = LineTask::defaults();
  config.batch_size = batch_size;
  config.accumulate = accumulate;
  config.optimizer = "sgd";
  return config;
}

double distance(LineTask& a, LineTask& b) {
  double worst = 0;
  const auto left = parameters(a.model), right = parameters(b.model);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Tensor &x = left[i].param->value(), &y = right[i].param->value();
    REQUIRE(x.shape() == y.shape());
    for (std::size_t j = 0; j < x.size(); ++j)
      worst = std::max(worst, static_cast<double>(std::abs(x.data()[j] - y.data()[j])));
  }
  return worst;
}

// One step over the items 0 … 11 in batches that end there.
double one_step(LineTask& task, const std::vector<std::size_t>& ends, double max_norm) {
  const std::vector<std::size_t> items{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const auto method = sgd();
  const auto forward = [&](std::uint64_t k) {
    Rng rng;
    const std::size_t begin = k == 0 ? 0 : ends[k - 1];
    Pass pass;
    return task.loss(task.batch(Split::train, std::span(items).subspan(begin, ends[k] - begin), rng), pass);
  };
  return descend(forward, ends.size(), parameters(task.model), {*method, 0.1, max_norm});
}

// A loss that is a parameter times a number, averaged over a number of items of its own.
struct Weighted {
  Param p{scalar(2)};
  double step(const std::vector<std::pair<double, double>>& losses) {
    const auto method = sgd();
    const std::vector<NamedParam> params{{"p", &p}};
    return descend(
        [&](std::uint64_t k) {
          return Loss{scale(p, static_cast<Real>(losses[k].first)), losses[k].second};
        },
        losses.size(), params, {*method, 1});
  }
};

}  // namespace

TEST_CASE("accumulated batches of any sizes give the gradient of the joined batch", "[training]") {
  const double max_norm = GENERATE(0, 0.1);  // the norm of all together is what counts
  LineTask joined(quiet(), 1), equal(quiet(), 1), unequal(quiet(), 1), before(quiet(), 1);
  const double loss = one_step(joined, {12}, max_norm);
  CHECK(one_step(equal, {4, 8, 12}, max_norm) == Approx(loss).epsilon(tolerance));
  CHECK(one_step(unequal, {7, 8, 12}, max_norm) == Approx(loss).epsilon(tolerance));
  CHECK(distance(joined, before) > 1e-3);
  CHECK(distance(joined, equal) < tolerance);
  CHECK(distance(joined, unequal) < tolerance);
}

TEST_CASE("a run with accumulation is the run with batches as large, over the ends of epochs", "[training]") {
  // 50 items: 16, 16, 16, 2 or (8, 8), (8, 8), (8, 8), (2).
  LineTask large(quiet(), 1), small(quiet(), 1);
  FitState large_state = start_state(config_of(16, 1)), small_state = start_state(config_of(8, 2));
  fit(large, config_of(16, 1), large_state);
  fit(small, config_of(8, 2), small_state);
  CHECK(large_state.position.step == 16);
  CHECK(small_state.position.step == 16);
  CHECK(small_state.optimizer->steps() == 16);
  CHECK(distance(large, small) < 100 * tolerance);
}

TEST_CASE("an epoch's last step has the batches that are left", "[training]") {
  Plan plan(config_of(8, 3), 50);
  CHECK(plan.steps_per_epoch() == 3);
  CHECK(plan.total() == 12);
  std::vector<Rng::State> streams;
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
    std::vector<std::size_t> sizes, items;
    for (std::uint64_t step = 3 * epoch; step < 3 * epoch + 3; ++step) {
      for (std::uint64_t k = 0; k < plan.batches(step); ++k) {
        const auto batch = plan.items_of(step, k);
        sizes.push_back(batch.size());
        items.insert(items.end(), batch.begin(), batch.end());
        streams.push_back(plan.rng("pass", step, k).state());
      }
    }
    CHECK(sizes == std::vector<std::size_t>{8, 8, 8, 8, 8, 8, 2});
    std::sort(items.begin(), items.end());
    REQUIRE(items.size() == 50);
    for (std::size_t i = 0; i < 50; ++i) CHECK(items[i] == i);
  }
  CHECK(plan.batches(2) == 1);
  CHECK(plan.batches(3) == 3);
  // No two batches draw the same numbers.
  for (std::size_t i = 0; i < streams.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(!(streams[i] == streams[j]));
  CHECK_THROWS_WITH(Plan(config_of(8, 0), 50), Contains("--accumulate"));
}

TEST_CASE("a batch weighs what its loss is averaged over", "[training]") {
  Weighted model;
  CHECK(model.step({{1, 30}, {5, 10}, {100, 0}}) == Approx(2 * (30 + 50) / 40.0));
  CHECK(model.p.value().data()[0] == Approx(2 - 80 / 40.0));
  // A window of padding alone costs nothing and moves nothing.
  CHECK(model.step({{0, 0}, {0, 0}}) == 0);
  CHECK(model.p.value().data()[0] == Approx(0).margin(1e-6));
}

TEST_CASE("a loss that does not say what it is averaged over is refused when it has to weigh", "[training]") {
  Weighted model;
  CHECK_THROWS_WITH(model.step({{1, 0}, {1, 0}}), Contains("Loss::count"));
  CHECK_THROWS_WITH(model.step({{1, -1}, {1, 3}}), Contains("-1"));
  CHECK(model.p.value().data()[0] == 2);
  CHECK(!model.p.grad());
  CHECK_NOTHROW(model.step({{1, 0}}));  // alone it weighs nothing
}

TEST_CASE("a loss that is not finite in the middle of a window changes nothing", "[training]") {
  LineTask task({}, 1), good({}, 1);
  const TrainConfig config = config_of(8, 3);
  FitState state = start_state(config), good_state = start_state(config);
  TrainConfig part = config;
  part.steps = 1;
  fit(good, part, good_state);
  task.poisoned_step = 4;  // the second batch of the second step
  CHECK_THROWS_WITH(fit(task, config, state), Contains("step 2") && Contains("[log]"));
  CHECK(distance(task, good) == 0);
  CHECK(state.position.step == 1);
  CHECK(!task.model.hidden.grad());
}
