#include <algorithm>

#include <catch2/catch.hpp>

#include "core/kernels/choose.hpp"
#include "core/onednn/onednn.hpp"
#include "core/onednn/stand_in.hpp"
#include "training/fit.hpp"
#include "training/line_task.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

TrainConfig config_of(const std::string& precision) {
  TrainConfig config = LineTask::defaults();
  config.steps = 9;
  config.eval_every = 3;
  config.precision = precision;
  return config;
}

bool same_models(LineTask& a, LineTask& b) {
  const auto left = parameters(a.model), right = parameters(b.model);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const auto& x, const auto& y) {
    return same_bits(x.param->value(), y.param->value());
  });
}

}  // namespace

TEST_CASE("the precision of products is that of the steps alone", "[training]") {
  const TrainConfig config = config_of("bf16-emulated"), in_f32 = config_of("f32");
  LineTask task({}, 1), exact({}, 1);
  FitState state = start_state(config), other = start_state(in_f32);
  if (sizeof(Real) == sizeof(double)) {
    CHECK_THROWS_WITH(fit(task, config, state), Contains("bf16-emulated") && Contains("double"));
    CHECK(task.learned_in.empty());
    return;
  }
  fit(task, config, state);
  CHECK(task.learned_in == std::vector<Precision>(9, Precision::bf16_emulated));
  CHECK(task.evaluated_in == std::vector<Precision>(3, Precision::f32));
  CHECK(product_precision() == Precision::f32);
  // It is a little different from f32, and the weights are not rounded.
  fit(exact, in_f32, other);
  CHECK(!same_models(task, exact));
  const Tensor& weight = parameters(task.model)[0].param->value();
  CHECK(std::any_of(weight.begin(), weight.end(), [](Real x) {
    Real rounded;
    kernels().round_to_bf16(1, &x, &rounded);
    return rounded != x;
  }));
  const double error = task.evaluate(Split::test).at("error");
  CHECK(error == Approx(exact.evaluate(Split::test).at("error")).epsilon(0.05));
}

TEST_CASE("a step that ends in an error leaves the precision as it was", "[training]") {
  if (sizeof(Real) == sizeof(double)) return;
  const TrainConfig config = config_of("bf16-emulated");
  LineTask task({}, 1);
  task.poisoned_step = 2;
  FitState state = start_state(config);
  CHECK_THROWS_AS(fit(task, config, state), DivergedError);
  CHECK(product_precision() == Precision::f32);
}

TEST_CASE("bf16 without its emulation trains where it is, and is refused elsewhere", "[training]") {
  if (sizeof(Real) == sizeof(double)) return;
  const TrainConfig config = config_of("bf16");
  LineTask task({}, 1);
  FitState state = start_state(config);
  if (!onednn::fault().empty()) {
    CHECK_THROWS_AS(fit(task, config, state), ConfigError);
    CHECK(task.learned_in.empty());
    if (!onednn::fault_of_library().empty()) return;
    const onednn::StandIn there;
    fit(task, config, state);
  } else {
    fit(task, config, state);
  }
  CHECK(task.learned_in == std::vector<Precision>(9, Precision::bf16));
}
