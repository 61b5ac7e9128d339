#include "properties/property.hpp"

using namespace fovea;

namespace {

int any_axis(const Shape& shape) {
  const auto axis = static_cast<int>(any_of("axis", 0, shape.size() - 1));
  return any_bool("axis counted from the end") ? axis - static_cast<int>(shape.size()) : axis;
}

Tensor ones_without(const Shape& shape, int axis) {
  return filled(without_axis(shape, axis_of(axis, shape.size()), false), 1);
}

Shape with_last(Shape shape, std::size_t length) {
  shape.push_back(length);
  return shape;
}

}  // namespace

TEST_CASE("softmax sums to 1 along any axis and does not see a constant", "[properties]") {
  hold("softmax", [] {
    const Shape shape = any_shape("x", 1, 4);
    const int axis = any_axis(shape);
    const Variable x = any_leaf("x", shape);
    demand_close(sum(softmax(x, axis), axis).value(), ones_without(shape, axis), "sum", 2);
    const Variable shift = any_leaf("constant", without_axis(shape, axis_of(axis, shape.size()), true));
    demand_same(softmax(x + shift, axis), softmax(x, axis), {x}, "shifted", 4);
    demand_same(log_softmax(x, axis), log(softmax(x, axis)), {x}, "log", 20);
  });
}

TEST_CASE("a masked softmax sums to 1, or is 0 where nothing is kept", "[properties]") {
  hold("masked_softmax", [] {
    const Shape shape = any_shape("x", 1, 4);
    const Variable x = any_leaf("x", shape);
    Shape own = shape;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (any_bool("axis " + std::to_string(i) + " of keep repeated")) own[i] = 1;
    }
    const Keep short_keep = any_keep("keep", own), keep(shape, broadcast_values(short_keep, shape));
    demand_same(masked_softmax(x, short_keep), masked_softmax(x, keep), {x}, "keep written out", 0);
    const Tensor y = masked_softmax(x, keep).value();
    for (std::size_t first = 0; first < y.size(); first += shape.back()) {
      double total = 0;
      bool any = false;
      for (std::size_t i = first; i < first + shape.back(); ++i) {
        total += static_cast<double>(y.data()[i]);
        any = any || keep.values[i];
        demand(keep.values[i] || y.data()[i] == 0, "what is not kept is 0");
      }
      demand(any ? std::abs(total - 1) < 1e-6 : total == 0, "the sum of a row");
    }
  });
}

TEST_CASE("a mask that keeps everything changes nothing", "[properties]") {
  hold("masked_softmax", [] {
    const Variable x = any_leaf("x", any_shape("x", 1, 4));
    const Keep all(x.shape(), std::vector<unsigned char>(x.size(), 1));
    demand_same(masked_softmax(x, all), softmax(x, -1), {x}, "softmax", 2);
  });
}

TEST_CASE("cross_entropy equals nll of log_softmax", "[properties]") {
  hold("cross_entropy", [] {
    const Shape shape = any_shape("targets", 0, 3, 0, 4);
    const std::size_t classes = any_of("classes", 1, 6);
    const Variable x = any_leaf("logits", with_last(shape, classes));
    const Ids targets = any_ids("targets", shape, classes);
    std::optional<std::int64_t> padding;
    if (any_bool("with padding")) padding = static_cast<std::int64_t>(any_of("padding", 0, classes - 1));
    const Variable expected = nll(log_softmax(x, -1), targets, padding);
    demand_same(cross_entropy(x, targets, {.padding = padding}), expected, {x}, "plain", 10);
    // The same by the path of weights and smoothing.
    const std::vector<Real> even(classes, 1);
    demand_same(cross_entropy(x, targets, {.padding = padding, .class_weights = even}), expected, {x},
                "even weights", 10);
  });
}

TEST_CASE("layer_norm does not see a row's offset or scale", "[properties]") {
  hold("layer_norm", [] {
    const std::size_t width = any_of("width", 2, 6);
    const Shape shape = with_last(any_shape("x but its last axis", 0, 3), width);
    // A row whose elements are nearly equal would amplify rounding.
    Tensor spread = any_leaf("x", shape).value();
    for (std::size_t i = 0; i < spread.size(); ++i) spread.data()[i] += static_cast<Real>(8 * (i % width));
    const Variable x = Variable::leaf(spread);
    const Variable gain = any_leaf("gain", {width}), bias = any_leaf("bias", {width});
    const Real eps = Real(1e-30);
    const Tensor plain = layer_norm(x, gain, bias, eps).value();
    demand_close(layer_norm(scale(x, 2) + Variable(scalar(1)), gain, bias, eps).value(), plain, "moved", 20);
    const Variable unit = layer_norm(x, filled({width}, 1), zeros({width}), eps);
    const Tensor none = zeros(without_axis(shape, shape.size() - 1, false));
    demand_close(mean(unit, -1).value(), none, "mean", 4);
    demand_close(mean(mul(unit, unit), -1).value(), filled(none.shape(), 1), "variance", 10);
  });
}

TEST_CASE("dropout keeps the expectation, and zeroes or scales", "[properties]") {
  hold("dropout", [] {
    const double rate = static_cast<double>(any_of("tenths dropped", 0, 9)) / 10;
    Rng rng(any_of("seed", 0, 1000000));
    const Variable ones = Variable::leaf(filled({50, 200}, 1));
    const Variable y = dropout(ones, rate, rng);
    const double deviation = std::sqrt(rate / (1 - rate) / 10000);
    demand(std::abs(static_cast<double>(mean(y).item()) - 1) <= 5 * deviation + 1e-6, "expectation");
    const Real kept = static_cast<Real>(1 / (1 - rate));
    for (Real value : y.value())
      demand(value == 0 || std::abs(value - kept) <= Real(1e-6) * kept, "an element is zero or scaled");
    backward(sum(y));
    demand_equal(*ones.grad(), y.value(), "the gradient is the same choice");
  });
}
