#include "optim/clip.hpp"

#include <cmath>

#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"
#include "core/reduce.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// A parameter's variable is a leaf, which holds the gradient. As in Param::update, what nobody else sees is
// changed in place. `change(n, x)` is called for ranges of it.
template <class Change>
void change_gradient(Param& param, const Change& change) {
  Value& gradient = static_cast<Leaf&>(*param.variable().node()).gradient;
  if (gradient.use_count() > 1) gradient = share(Tensor(*gradient));
  Real* data = const_cast<Tensor&>(*gradient).data();
  parallel_for(gradient->size(), rows_per_range(1),
               [&](std::size_t begin, std::size_t end) { change(end - begin, data + begin); });
}

}  // namespace

double gradient_norm(std::span<const NamedParam> params) {
  double squares = 0;
  for (const NamedParam& named : params) {
    const Value gradient = named.param->grad();
    if (!gradient) continue;
    const double own = numbers::sum_squares(*gradient);
    check<DivergedError>(std::isfinite(own), "gradient", named.path, " ", gradient->shape(),
                         " has a gradient that is not finite, or whose square is not");
    squares += own;
  }
  return std::sqrt(squares);
}

double clip_norm(std::span<const NamedParam> params, double max_norm) {
  const double norm = gradient_norm(params);
  if (max_norm > 0 && norm > max_norm) scale_gradients(params, max_norm / norm);
  return norm;
}

void clip_value(std::span<const NamedParam> params, double limit) {
  check<ConfigError>(limit > 0, "clip_value", "the limit is ", limit, "; expected a positive number");
  gradient_norm(params);
  const Real most = static_cast<Real>(limit);
  for (const NamedParam& named : params) {
    if (!named.param->grad()) continue;
    change_gradient(*named.param, [most](std::size_t n, Real* x) {
      for (std::size_t i = 0; i < n; ++i) x[i] = x[i] > most ? most : (x[i] < -most ? -most : x[i]);
    });
  }
}

void scale_gradients(std::span<const NamedParam> params, double factor) {
  for (const NamedParam& named : params) {
    if (!named.param->grad()) continue;
    change_gradient(*named.param, [factor](std::size_t n, Real* x) {
      kernels().scale(n, static_cast<Real>(factor), x, x);
    });
  }
}

}  // namespace fovea::inline FOVEA_REAL
