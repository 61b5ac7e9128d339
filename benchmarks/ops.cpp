#include "autograd/ops.hpp"

#include <cstdio>
#include <functional>
#include <string>

#include "autograd/engine.hpp"
#include "benchmarks/allocations.hpp"
#include "benchmarks/parts.hpp"
#include "benchmarks/timing.hpp"
#include "core/draw.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

const Shape small{4, 8};

Variable leaf(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return Variable::leaf(uniform(rng, shape, Real(0.5), Real(1.5)));
}

struct Case {
  std::string op;
  std::function<Variable()> run;
};

std::vector<Case> cases() {
  const Variable x = leaf(small, 1), y = leaf(small, 2), row = leaf({8}, 3), bias = leaf({8}, 4);
  const Variable weight = leaf({8, 8}, 5);
  const Variable table = leaf({16, 8}, 6);
  const Ids ids({4}, {3, 1, 4, 1}), targets({4}, {2, 7, 1, 0});
  const Variable q = leaf({1, 4, 8}, 7), k = leaf({1, 4, 8}, 8), v = leaf({1, 4, 8}, 9);
  return {
      {"add", [=] { return add(x, y); }},
      {"add a row", [=] { return add(x, row); }},
      {"mul", [=] { return mul(x, y); }},
      {"scale", [=] { return scale(x, 2); }},
      {"tanh", [=] { return tanh(x); }},
      {"relu", [=] { return relu(x); }},
      {"matmul", [=] { return matmul(x, weight); }},
      {"linear", [=] { return linear(x, weight, bias); }},
      {"softmax", [=] { return softmax(x, -1); }},
      {"layer_norm", [=] { return layer_norm(x, row, bias); }},
      {"sum", [=] { return sum(x); }},
      {"sum of an axis", [=] { return sum(x, 0); }},
      {"reshape",
       [=] {
         return reshape(x, {8, 4});
       }},
      {"permute",
       [=] {
         return permute(x, {1, 0});
       }},
      {"slice", [=] { return slice(x, 0, 1, 3); }},
      {"concat",
       [=] {
         return concat({x, y}, 0);
       }},
      {"gather", [=] { return gather(table, ids); }},
      {"cross_entropy", [=] { return cross_entropy(x, targets); }},
      {"dot_attention", [=] { return dot_attention(q, k, v, Real(0.35)).context; }},
  };
}

struct Cost {
  double ns, allocations;
};

// A block of runs is timed as one: a clock costs as much as a small op.
Cost cost(const std::function<void()>& run) {
  constexpr std::size_t block = 500;
  const auto runs = [&] {
    for (std::size_t i = 0; i < block; ++i) run();
  };
  runs();
  const std::size_t before = allocations();
  runs();
  const double each = static_cast<double>(allocations() - before) / block;
  return {timed(runs, {0.1, 5, 2000}).median_ms * 1e6 / block, each};
}

}  // namespace

int print_ops() {
  set_threads(1);
  for (const Case& one : cases()) {
    const Tensor cotangent = filled(one.run().shape(), 1);
    const Cost forward = cost([&] { one.run(); });
    const Cost both = cost([&] { backward(one.run(), cotangent); });
    std::printf(
        "{\"op\": \"%s\", \"ns\": %.0f, \"allocations\": %.1f, \"backward_ns\": %.0f, "
        "\"backward_allocations\": %.1f}\n",
        one.op.c_str(), forward.ns, forward.allocations, both.ns, both.allocations);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace fovea::inline FOVEA_REAL
