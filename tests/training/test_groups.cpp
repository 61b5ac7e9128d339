#include <catch2/catch.hpp>

#include "training/fit.hpp"
#include "training/line_task.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

TrainConfig one_step(const std::string& optimizer = "sgd") {
  TrainConfig config = LineTask::defaults();
  config.optimizer = optimizer;
  config.steps = 1;
  config.clip_norm = 0;
  return config;
}

// How far each parameter goes in one step: hidden, bias, out.
std::vector<Tensor> moves(const TrainConfig& config) {
  LineTask task({}, 1), before({}, 1);
  FitState state = start_state(config);
  fit(task, config, state);
  std::vector<Tensor> all;
  const auto now = parameters(task.model), then = parameters(before.model);
  for (std::size_t i = 0; i < now.size(); ++i) {
    CHECK(!now[i].param->grad());
    Tensor move = now[i].param->value();
    for (std::size_t j = 0; j < move.size(); ++j) move.data()[j] -= then[i].param->value().data()[j];
    all.push_back(std::move(move));
  }
  return all;
}

double norm(const Tensor& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += static_cast<double>(x.data()[i]) * static_cast<double>(x.data()[i]);
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("groups of the settings have their own rate and decay", "[training]") {
  const std::vector<Tensor> plain = moves(one_step());
  TrainConfig config = one_step();
  config.groups = {{"*", 0.5}, {"out", 2, 0.25}};
  const std::vector<Tensor> own = moves(config);
  CHECK(norm(own[0]) == Approx(0.5 * norm(plain[0])).epsilon(1e-5));
  CHECK(norm(own[1]) == Approx(0.5 * norm(plain[1])).epsilon(1e-5));
  // L2: 0.25 times the weight is added to the gradient.
  const LineTask start({}, 1);
  for (std::size_t j = 0; j < 6; ++j) {
    const double expected = 2 * (plain[2].data()[j] - config.lr * 0.25 * start.model.out.value().data()[j]);
    CHECK(own[2].data()[j] == Approx(expected).epsilon(1e-4));
  }
}

TEST_CASE("what is frozen stays, keeps no gradient, and does not count for the clipping", "[training]") {
  TrainConfig config = one_step();
  config.freeze = {"hid*", "bias"};
  config.groups = {{"hidden", 3}};  // freezing wins
  config.clip_norm = 1e-3;
  const std::vector<Tensor> own = moves(config);
  CHECK(norm(own[0]) == 0);
  CHECK(norm(own[1]) == 0);
  CHECK(norm(own[2]) == Approx(config.lr * 1e-3).epsilon(1e-3));
}

TEST_CASE("groups that cannot be are refused before anything is trained", "[training]") {
  const auto refused = [](const TrainConfig& config) {
    LineTask task({}, 1);
    FitState state = start_state(config);
    fit(task, config, state);
  };
  TrainConfig typo = one_step(), all = one_step(), decay = one_step("adam");
  typo.freeze = {"hiden"};
  all.freeze = {"*"};
  decay.groups = {{"out", 1, 0.1}};
  CHECK_THROWS_WITH(refused(typo), Contains("hiden") && Contains("hidden"));
  CHECK_THROWS_WITH(refused(all), Contains("nothing is left"));
  CHECK_THROWS_WITH(refused(decay), Contains("adamw"));
  decay.groups = {{"out", 1, 0.0}};
  CHECK_NOTHROW(refused(decay));
}
