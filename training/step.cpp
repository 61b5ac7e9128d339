#include "training/step.hpp"

#include <algorithm>
#include <cmath>

#include "autograd/engine.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

void clear_gradients(std::span<const NamedParam> params) {
  for (const NamedParam& named : params) named.param->clear_grad();
}

// The same numbers again (a batch and its randomness are fixed), this time looking at each op's result.
[[noreturn]] void explain(const std::function<Loss()>& forward, std::span<const NamedParam> params,
                          double loss) {
  for (const NamedParam& named : params) {
    check<DivergedError>(all_finite(named.param->value()), "loss", "it is ", loss, ", and ", named.path,
                         " is not finite");
  }
  const NoGrad no_graph;
  const FiniteGuard guard;
  forward();
  throw DivergedError(join("[loss] it is ", loss, " though every op's result is finite"));
}

// Adds up the gradients of all batches; returns their loss.
double accumulate(const std::function<Loss(std::uint64_t batch)>& forward, std::uint64_t batches,
                  std::span<const NamedParam> params) {
  double sum = 0, count = 0;
  bool any = false;
  for (std::uint64_t k = 0; k < batches; ++k) {
    const Loss loss = forward(k);
    const double value = static_cast<double>(loss.value.item());
    if (!std::isfinite(value)) explain([&] { return forward(k); }, params, value);
    if (batches == 1) {  // whatever it is averaged over
      backward(loss.value);
      return value;
    }
    check<Error>(loss.count >= 0 && std::isfinite(loss.count), "loss", "it says that it is averaged over ",
                 loss.count, " items or tokens");
    backward(loss.value, filled(loss.value.shape(), static_cast<Real>(loss.count)));
    sum += value * loss.count;
    count += loss.count;
    any = any || value != 0;
  }
  check<Error>(count > 0 || !any, "loss", "none of the ", batches,
               " accumulated batches says what its loss is averaged over; set Loss::count");
  if (count == 0) return 0;  // nothing but padding: the gradients are zero
  scale_gradients(params, 1 / count);
  return sum / count;
}

}  // namespace

bool all_finite(std::span<const NamedParam> params) {
  return std::all_of(params.begin(), params.end(),
                     [](const NamedParam& p) { return all_finite(p.param->value()); });
}

double descend(const std::function<Loss(std::uint64_t batch)>& forward, std::uint64_t batches,
               std::span<const NamedParam> params, const Update& update) {
  const std::vector<NamedParam> trained = grouped({params.begin(), params.end()}, update.groups);
  clear_gradients(params);
  double value = 0;
  try {
    value = accumulate(forward, batches, params);
    clip_norm(trained, update.max_norm);
    update.optimizer.step(trained, update.rate);
  } catch (...) {
    clear_gradients(params);
    throw;
  }
  clear_gradients(params);
  return value;
}

}  // namespace fovea::inline FOVEA_REAL
