#include "modules/linear.hpp"

#include "modules/init.hpp"

namespace fovea::inline FOVEA_REAL {

Linear::Linear(std::size_t inputs, std::size_t outputs, Rng& rng, Bias with)
    : Linear(xavier_uniform(rng, {outputs, inputs}), with) {}

Linear::Linear(Tensor start, Bias with) : weight(std::move(start)) {
  if (with == Bias::yes) bias = Param(zeros({outputs()}), Param::Decay::no);
}

Variable Linear::operator()(const Variable& x) const { return linear(x, weight, bias); }

}  // namespace fovea::inline FOVEA_REAL
