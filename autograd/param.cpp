#include "autograd/param.hpp"

namespace fovea::inline FOVEA_REAL {

Param::Param(const Param& other)
    : leaf_(other.defined() ? Variable::leaf(Tensor(other.value())) : Variable()), decay_(other.decay_) {}

Param& Param::operator=(const Param& other) {
  if (this != &other) *this = Param(other);
  return *this;
}

void Param::set(Tensor value) {
  check(value.shape() == shape(), "Param", "a value of shape ", value.shape(),
        " was given to a parameter of shape ", shape());
  leaf_.value_ = share(std::move(value));
}

void Param::update(const std::function<void(Tensor&)>& change) {
  if (leaf_.value_.use_count() > 1) leaf_.value_ = share(Tensor(*leaf_.value_));
  change(const_cast<Tensor&>(*leaf_.value_));  // made by share() as a Tensor; nobody else sees it
}

}  // namespace fovea::inline FOVEA_REAL
