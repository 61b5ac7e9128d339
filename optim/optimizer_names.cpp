#include "optim/optimizer_names.hpp"

namespace fovea {

const std::vector<std::string>& optimizer_names() {
  static const std::vector<std::string> names = {"sgd",     "nesterov", "adam", "adamw",
                                                 "rmsprop", "adagrad",  "lion"};
  return names;
}

}  // namespace fovea
