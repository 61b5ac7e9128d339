#include "optim/average.hpp"

#include "core/check.hpp"
#include "core/kernels/kernels.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {

void WeightAverage::update(std::span<const NamedParam> params) {
  for (const NamedParam& named : params) {
    const Tensor& weight = named.param->value();
    const auto [found, fresh] = averages_.try_emplace(named.path, weight);
    if (fresh) continue;
    Tensor& average = found->second;
    check(average.shape() == weight.shape(), "weight average", named.path, " has shape ", weight.shape(),
          "; its average has ", average.shape());
    parallel_for(weight.size(), rows_per_range(1), [&](std::size_t begin, std::size_t end) {
      kernels().scale(end - begin, static_cast<Real>(decay_), average.data() + begin, average.data() + begin);
      kernels().add_scaled(end - begin, static_cast<Real>(1 - decay_), weight.data() + begin,
                           average.data() + begin);
    });
  }
}

void WeightAverage::swap(std::span<const NamedParam> params) {
  for (const NamedParam& named : params) {
    const auto found = averages_.find(named.path);
    if (found == averages_.end()) continue;
    Tensor weight = named.param->value();
    named.param->set(std::move(found->second));
    found->second = std::move(weight);
  }
}

}  // namespace fovea::inline FOVEA_REAL
