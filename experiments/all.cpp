#include "experiments/all.hpp"

#include "experiments/experiment.hpp"

namespace fovea::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all{scaling(), series(), entropy(), small_data()};
  return all;
}

}  // namespace fovea::experiments
