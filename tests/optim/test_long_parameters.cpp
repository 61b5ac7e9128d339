#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "core/draw.hpp"
#include "optim/average.hpp"
#include "optim/clip.hpp"
#include "optim/optimizer.hpp"

// Parameters that several threads work on: what an element gets must not depend on where it lies.

using namespace fovea;

namespace {

constexpr std::size_t many = 50000, few = 10;

void set_gradient(Param& param, const Tensor& gradient) {
  param.clear_grad();
  backward(param.variable(), gradient);
}

Tensor last_of(const Tensor& all) {
  Tensor last = uninitialized(Shape{few});
  std::copy(all.data() + all.size() - few, all.data() + all.size(), last.data());
  return last;
}

// A long parameter, and one that is its end.
struct Both {
  Param whole, end;
  explicit Both(const Tensor& value) : whole(value), end(last_of(value)) {}
  void gradients(const Tensor& gradient) {
    set_gradient(whole, gradient);
    set_gradient(end, last_of(gradient));
  }
  std::vector<NamedParam> only_whole() { return {{"whole", &whole, true}}; }
  std::vector<NamedParam> only_end() { return {{"end", &end, true}}; }
  std::vector<NamedParam> named() { return {{"whole", &whole, true}, {"end", &end, true}}; }
};

Tensor drawn(std::uint64_t seed) {
  Rng rng(seed);
  return normal(rng, Shape{many}, 0, 1);
}

}  // namespace

TEST_CASE("an element of a long parameter is stepped by its own gradient and moments", "[optim]") {
  for (const std::string& name : optimizer_names()) {
    INFO(name);
    const auto method = make_optimizer(name, name == "adam" ? 0 : 0.1);
    Both both(drawn(1));
    for (std::uint64_t step = 0; step < 3; ++step) {
      both.gradients(drawn(2 + step));
      method->step(both.named(), 0.1);
    }
    CHECK(same_bits(last_of(both.whole.value()), both.end.value()));
  }
}

TEST_CASE("an element of a long parameter is averaged with its own past", "[optim]") {
  Both both(drawn(1));
  WeightAverage average(0.75);
  average.update(both.named());
  const Tensor next = drawn(2);
  both.whole.set(next);
  both.end.set(last_of(next));
  average.update(both.named());
  CHECK(same_bits(last_of(average.state().at("whole")), average.state().at("end")));
}

TEST_CASE("an element of a long gradient is clipped like any other", "[optim]") {
  Both both(drawn(1));
  both.gradients(drawn(2));
  clip_value(both.named(), 0.5);
  CHECK(same_bits(last_of(*both.whole.grad()), *both.end.grad()));
  scale_gradients(both.named(), 0.3);
  CHECK(same_bits(last_of(*both.whole.grad()), *both.end.grad()));
}

TEST_CASE("clipping leaves a gradient alone that somebody else holds", "[optim]") {
  Both both(drawn(1));
  const Tensor gradient = drawn(2);
  both.gradients(gradient);
  const Value held = both.whole.grad();
  clip_norm(both.only_whole(), 1);
  CHECK(same_bits(*held, gradient));
  CHECK(gradient_norm(both.only_whole()) == Approx(1));
}

TEST_CASE("an average knows only the parameters that it has seen", "[optim]") {
  Both both(drawn(1));
  WeightAverage average(0.75);
  average.update(both.only_end());
  const Tensor weight = both.whole.value();
  average.swap(both.named());
  CHECK(same_bits(both.whole.value(), weight));
  CHECK(average.state().count("whole") == 0);
}
