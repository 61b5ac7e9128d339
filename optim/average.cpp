#include "optim/average.hpp"

#include "core/check.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {

void WeightAverage::check_shapes(std::span<const NamedParam> params) const {
  for (const NamedParam& named : params) {
    const auto found = averages_.find(named.path);
    check(found == averages_.end() || found->second.shape() == named.param->shape(), "weight average",
          named.path, " has shape ", named.param->shape(), "; its average has ",
          found == averages_.end() ? Shape{} : found->second.shape());
  }
}

void WeightAverage::update(std::span<const NamedParam> params) {
  check_shapes(params);
  for (const NamedParam& named : params) {
    const Tensor& weight = named.param->value();
    const auto [found, fresh] = averages_.try_emplace(named.path, weight);
    if (fresh) continue;
    Tensor& average = found->second;
    parallel_for(weight.size(), rows_per_range(1), [&](std::size_t begin, std::size_t end) {
      kernels().scale(end - begin, static_cast<Real>(decay_), average.data() + begin, average.data() + begin);
      kernels().add_scaled(end - begin, static_cast<Real>(1 - decay_), weight.data() + begin,
                           average.data() + begin);
    });
  }
}

void WeightAverage::swap(std::span<const NamedParam> params) {
  check_shapes(params);
  for (const NamedParam& named : params) {
    const auto found = averages_.find(named.path);
    if (found == averages_.end()) continue;
    Tensor weight = named.param->value();
    named.param->set(std::move(found->second));
    found->second = std::move(weight);
  }
}

}  // namespace fovea::inline FOVEA_REAL
