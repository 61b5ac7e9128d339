#include "properties/property.hpp"

#include <cstdlib>
#include <numeric>
#include <rapidcheck.h>
#include <sstream>

#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-12;

// A choice that is printed under its name. RapidCheck would keep the first cases small; all are as wild here,
// and the one that fails is made smaller anyway.
template <class T>
T choose(const std::string& name, const rc::Gen<T>& gen) {
  return *rc::gen::resize(rc::kNominalSize, gen).as(name);
}

std::uint64_t any_seed(const std::string& name) {
  return choose(name + " (seed)", rc::gen::noShrink(rc::gen::inRange<std::uint64_t>(0, 1u << 30)));
}

}  // namespace

void hold(const std::string& what, const std::function<void()>& property) {
  setenv("RC_PARAMS", "seed=2015", 0);  // read once, by the first property
  INFO(what);
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{what, what});
  if (result.is<rc::detail::SuccessResult>()) {
    SUCCEED();
    return;
  }
  std::ostringstream report;
  rc::detail::printResultMessage(result, report);
  FAIL_CHECK(report.str());
}

std::size_t any_of(const std::string& name, std::size_t least, std::size_t most) {
  return choose(name, rc::gen::inRange<std::size_t>(least, most + 1));
}

bool any_bool(const std::string& name) { return any_of(name, 0, 1) == 1; }

Shape any_shape(const std::string& name, std::size_t least_rank, std::size_t most_rank, std::size_t least,
                std::size_t most) {
  Shape shape(any_of("rank of " + name, least_rank, most_rank));
  for (std::size_t i = 0; i < shape.size(); ++i)
    shape[i] = any_of("length " + std::to_string(i) + " of " + name, least, most);
  return shape;
}

std::vector<std::size_t> any_order(const std::string& name, std::size_t n) {
  return Rng(any_seed(name)).permutation(n);
}

Variable any_leaf(const std::string& name, const Shape& shape) {
  return Variable::leaf(numbers_of(shape, any_seed(name)));
}

Keep any_keep(const std::string& name, const Shape& shape, bool every_row) {
  Rng rng(any_seed(name));
  std::vector<unsigned char> values(volume(shape));
  for (unsigned char& value : values) value = rng.chance(0.6);
  const std::size_t row = shape.empty() ? 1 : shape.back();
  for (std::size_t at = 0; every_row && at < values.size(); at += row) values[at + rng.below(row)] = 1;
  return Keep(shape, std::move(values));
}

Ids any_ids(const std::string& name, const Shape& shape, std::size_t count) {
  Rng rng(any_seed(name));
  std::vector<std::int64_t> values(volume(shape));
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(rng.below(count));
  return Ids(shape, std::move(values));
}

void demand(bool holds, const std::string& what) {
  if (!holds) RC_FAIL(what);
}

void demand_close(const Tensor& actual, const Tensor& expected, const std::string& what, double slack) {
  demand(close_to(expected, tolerance * slack).match(actual),
         what + ": " + CloseTo::text(actual) + "\nis not close to " + CloseTo::text(expected));
}

void demand_equal(const Tensor& actual, const Tensor& expected, const std::string& what) {
  demand(close_to(expected, 0).match(actual),
         what + ": " + CloseTo::text(actual) + "\nis not " + CloseTo::text(expected));
}

void demand_same(const Variable& actual, const Variable& expected, const std::vector<Variable>& wrt,
                 const std::string& what, double slack) {
  demand_close(actual.value(), expected.value(), what, slack);
  const Tensor cotangent = numbers_of(actual.shape(), 77);
  const auto by = [&](const Variable& y) {
    return gradients(std::span(&y, 1), std::span(&cotangent, 1), wrt, true);
  };
  const std::vector<Tensor> here = by(actual), there = by(expected);
  for (std::size_t i = 0; i < wrt.size(); ++i)
    demand_close(here[i], there[i], what + ", gradient " + std::to_string(i), 4 * slack);
}

Tensor numbers_of(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return normal(rng, shape, 0, 1);
}

Variable repeated(const Variable& x, const Shape& shape) {
  Shape whole(shape.size() - x.rank(), 1);
  whole.insert(whole.end(), x.shape().begin(), x.shape().end());
  Variable result = reshape(x, whole);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (whole[axis] == shape[axis]) continue;
    if (shape[axis] == 0) {
      result = slice(result, static_cast<int>(axis), 0, 0);
    } else {
      result = concat(std::vector<Variable>(shape[axis], result), static_cast<int>(axis));
    }
  }
  return result;
}

Variable picked(const Variable& x, int axis, const std::vector<std::size_t>& places) {
  std::vector<Variable> parts;
  for (std::size_t place : places) parts.push_back(slice(x, axis, place, place + 1));
  return concat(parts, axis);
}

}  // namespace fovea::inline FOVEA_REAL
