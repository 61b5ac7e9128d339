#include "autograd/gradcheck.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"
#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "gradcheck";

// The loss in double, outside of any graph.
using Evaluate = std::function<double()>;

double evaluate_plain(const std::function<Variable()>& loss) {
  const NoGrad guard;
  return static_cast<double>(loss().item());
}

void refuse_single_precision() {
  check<Error>(sizeof(Real) >= 8, here,
               "single precision is too coarse to compare derivatives; link fovea::f64 for this check");
}

void refuse_random(const Evaluate& evaluate) {
  const double first = evaluate(), second = evaluate();
  check<Error>(first == second || (std::isnan(first) && std::isnan(second)), here, "two calls gave ", first,
               " and ", second,
               "; a random function has no derivative to compare (seed it, or switch dropout off)");
}

// One element of a parameter, which gets its value back also when a loss throws.
class Moved {
 public:
  Moved(Param& param, std::size_t index)
      : param_(param), index_(index), before_(param.value().data()[index]) {}
  ~Moved() { set(before_); }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;

  double before() const { return static_cast<double>(before_); }
  void by(double offset) { set(static_cast<Real>(before_ + offset)); }

 private:
  void set(Real x) {
    param_.update([&](Tensor& value) { value.data()[index_] = x; });
  }
  Param& param_;
  std::size_t index_;
  Real before_;
};

bool agree(double a, double b, const GradcheckOptions& options) {
  const double larger = std::max(std::abs(a), std::abs(b));
  // NaN fails, and so does an infinity, for which the tolerance would be infinite too.
  return !std::isinf(larger) && std::abs(a - b) <= options.absolute + options.relative * larger;
}

// d evaluate / d element, from values at ±h and ±2h (error of order h⁴).
double difference(Param& param, std::size_t index, double step, const Evaluate& evaluate) {
  Moved element(param, index);
  const double h = step * std::max(1.0, std::abs(element.before()));
  const auto at = [&](double offset) {
    element.by(offset);
    return evaluate();
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

// The derivative that agrees, of several steps: a border that lies within the first, where a hash or a
// maximum jumps, lies outside a smaller one, while a wrong formula is wrong at each. Else that of the first
// step.
double nearest_difference(Param& param, std::size_t index, double analytic, const GradcheckOptions& options,
                          const Evaluate& evaluate) {
  const double first = difference(param, index, options.step, evaluate);
  if (agree(analytic, first, options)) return first;
  for (const double part : {0.1, 0.01}) {
    const double n = difference(param, index, part * options.step, evaluate);
    if (agree(analytic, n, options)) return n;
  }
  return first;
}

GradcheckReport::Worst compare(const NamedParam& named, const Tensor& analytic,
                               const GradcheckOptions& options, const Evaluate& evaluate) {
  GradcheckReport::Worst worst{named.path};
  const std::size_t size = analytic.size();
  const std::size_t tries = options.per_tensor ? std::min(size, options.per_tensor) : size;
  for (std::size_t i = 0; i < tries; ++i) {
    const std::size_t index = i * size / tries;
    const double a = analytic.data()[index],
                 n = nearest_difference(*named.param, index, a, options, evaluate);
    const double larger = std::max(std::abs(a), std::abs(n)), gap = std::abs(a - n);
    const double relative = gap / std::max(larger, options.absolute / options.relative);
    ++worst.checked;
    worst.failed += !agree(a, n, options);
    if (i == 0 || (!std::isnan(worst.relative_error) && !(relative <= worst.relative_error))) {
      worst.index = index;
      worst.analytic = a;
      worst.numeric = n;
      worst.relative_error = relative;
    }
  }
  return worst;
}

}  // namespace

std::string GradcheckReport::text() const {
  std::size_t width = 9;
  for (const Worst& tensor : tensors) width = std::max(width, tensor.name.size());
  char line[512];
  const int w = static_cast<int>(std::min<std::size_t>(width, 200));
  std::snprintf(line, sizeof line, "%-*s  %8s  %8s  %14s  %14s  %10s\n", w, "parameter", "checked", "index",
                "analytic", "numeric", "rel. error");
  std::string result = line;
  for (const Worst& tensor : tensors) {
    std::snprintf(line, sizeof line, "%-*s  %8zu  %8zu  %14.7g  %14.7g  %10.2g%s\n", w, tensor.name.c_str(),
                  tensor.checked, tensor.index, tensor.analytic, tensor.numeric, tensor.relative_error,
                  tensor.failed ? "  FAILED" : "");
    result += line;
  }
  return result + (passed ? "all gradients agree\n" : "some gradients are wrong\n");
}

GradcheckReport gradcheck(std::span<const NamedParam> params, const std::function<Variable()>& loss,
                          const GradcheckOptions& options) {
  refuse_single_precision();
  const Evaluate evaluate = [&loss] { return evaluate_plain(loss); };
  refuse_random(evaluate);
  std::vector<Variable> leaves;
  for (const NamedParam& named : params) leaves.push_back(named.param->variable());
  const Variable output = loss();
  const std::vector<Tensor> analytic = gradients(std::span(&output, 1), {}, leaves);
  leaves.clear();  // else each try would copy its parameter
  GradcheckReport report;
  for (std::size_t i = 0; i < params.size(); ++i) {
    report.tensors.push_back(compare(params[i], analytic[i], options, evaluate));
    report.passed = report.passed && report.tensors.back().failed == 0;
  }
  return report;
}

GradcheckReport gradcheck(const std::function<Variable(std::span<const Variable>)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  std::vector<Param> params;
  for (const Tensor& input : inputs) params.emplace_back(input);
  std::vector<NamedParam> named;
  for (std::size_t i = 0; i < params.size(); ++i)
    named.push_back({"input " + std::to_string(i), &params[i], true});
  Variable cotangent;
  const auto loss = [&] {
    std::vector<Variable> variables;
    for (const Param& param : params) variables.push_back(param.variable());
    const Variable y = f(variables);
    if (!cotangent.defined()) {
      Rng rng(options.seed);
      cotangent = normal(rng, y.shape(), 0, 1);
    }
    return sum(mul(cotangent, y));
  };
  return gradcheck(named, loss, options);
}

}  // namespace fovea::inline FOVEA_REAL
