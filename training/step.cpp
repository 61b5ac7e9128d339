#include "training/step.hpp"

#include <algorithm>
#include <cmath>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"
#include "training/divergence.hpp"
#include "training/text.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// No gradients before a step and none after it, however it ends.
class Cleared {
 public:
  explicit Cleared(std::span<const NamedParam> params) : params_(params) { clear(); }
  ~Cleared() { clear(); }
  Cleared(const Cleared&) = delete;
  Cleared& operator=(const Cleared&) = delete;

 private:
  void clear() const {
    for (const NamedParam& named : params_) named.param->clear_grad();
  }
  std::span<const NamedParam> params_;
};

// All batches as one, to explain what went wrong.
Loss joined(const std::function<Loss(std::uint64_t batch)>& forward, std::uint64_t batches) {
  Loss sum = forward(0);
  for (std::uint64_t k = 1; k < batches; ++k) {
    const Loss loss = forward(k);
    sum.value = add(sum.value, loss.value);
    sum.count += loss.count;
  }
  return sum;
}

[[noreturn]] void explain_batch(const std::function<Loss(std::uint64_t batch)>& forward, std::uint64_t batch,
                                std::span<const NamedParam> params, double loss) {
  try {
    explain_loss([&] { return forward(batch); }, params, loss);
  } catch (const DivergedError& error) {
    throw BatchDiverged(error.what(), batch);
  }
}

// Adds up the gradients of all batches; returns their loss.
double accumulate(const std::function<Loss(std::uint64_t batch)>& forward, std::uint64_t batches,
                  std::span<const NamedParam> params) {
  double sum = 0, count = 0;
  bool any = false;
  for (std::uint64_t k = 0; k < batches; ++k) {
    const Loss loss = forward(k);
    const double value = static_cast<double>(loss.value.item());
    if (!std::isfinite(value)) explain_batch(forward, k, params, value);
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

// `items 3, 17, 40, …`
std::string named(std::span<const std::size_t> items) {
  constexpr std::size_t shown = 5;
  std::vector<std::string> numbers;
  for (const std::size_t item : items.first(std::min(items.size(), shown))) numbers.push_back(join(item));
  return join(items.size() == 1 ? "item " : "items ", list(numbers), items.size() > shown ? ", …" : "");
}

}  // namespace

std::string detail::blamed(std::span<const std::size_t> items, std::span<const std::size_t> alone) {
  if (!alone.empty() && alone.size() < items.size())
    return join("; ", named(alone), " of the training split, counted from 0, ",
                alone.size() == 1 ? "makes" : "make", " it so alone: look at these data");
  return join("; ", alone.empty() ? "none" : "each", " of its ", items.size(), " items makes it so alone (",
              named(items), "): try a lower --lr or --clip-norm");
}

const NamedParam* first_not_finite(std::span<const NamedParam> params) {
  const auto found = std::find_if(params.begin(), params.end(),
                                  [](const NamedParam& p) { return !all_finite(p.param->value()); });
  return found == params.end() ? nullptr : &*found;
}

double descend(const std::function<Loss(std::uint64_t batch)>& forward, std::uint64_t batches,
               std::span<const NamedParam> params, const Update& update) {
  const std::vector<NamedParam> trained = grouped({params.begin(), params.end()}, update.groups);
  const Cleared gradients(params);
  const double value = accumulate(forward, batches, params);
  try {
    clip_norm(trained, update.max_norm);
  } catch (const DivergedError& fault) {
    explain_gradient([&] { return joined(forward, batches); }, params, fault);
  }
  update.optimizer.step(trained, update.rate);
  return value;
}

}  // namespace fovea::inline FOVEA_REAL
