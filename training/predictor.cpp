#include "training/predictor.hpp"

#include "core/check.hpp"

namespace fovea {

Predictor::Predictor(std::string task, Lines lines, Data data)
    : task_(std::move(task)), lines_(std::move(lines)), data_(std::move(data)) {}

std::string Predictor::operator()(const std::string& line, As as) const {
  return (*this)(std::span(&line, 1), as).front();
}

std::vector<std::string> Predictor::operator()(std::span<const std::string> lines, As as) const {
  check<ConfigError>(static_cast<bool>(lines_), "predict", "the task ", task_,
                     " answers from its data, not line by line; from_data() asks it");
  return lines_(lines, as);
}

std::string Predictor::from_data(As as) const {
  check<ConfigError>(answers_data(), "predict", "the task ", task_, " answers line by line; give it lines");
  return data_(as);
}

}  // namespace fovea
