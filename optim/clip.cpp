#include "optim/clip.hpp"

#include <cmath>

#include "core/kernels/kernels.hpp"
#include "core/parallel.hpp"
#include "core/reduce.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// A parameter's variable is a leaf, which holds the gradient. As in Param::update, what nobody else sees is
// changed in place.
void scale_gradient(Param& param, Real factor) {
  Value& gradient = static_cast<Leaf&>(*param.variable().node()).gradient;
  if (gradient.use_count() > 1) gradient = share(Tensor(*gradient));
  Real* data = const_cast<Tensor&>(*gradient).data();
  parallel_for(gradient->size(), rows_per_range(1), [&](std::size_t begin, std::size_t end) {
    kernels().scale(end - begin, factor, data + begin, data + begin);
  });
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
  if (max_norm <= 0 || norm <= max_norm) return norm;
  for (const NamedParam& named : params) {
    if (named.param->grad()) scale_gradient(*named.param, static_cast<Real>(max_norm / norm));
  }
  return norm;
}

}  // namespace fovea::inline FOVEA_REAL
