#include "experiments/all.hpp"

namespace fovea::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all{scaling(),       cost(),  bridge(), series(),     entropy(),
                                           approximation(), match(), length(), small_data(), init()};
  return all;
}

}  // namespace fovea::experiments
