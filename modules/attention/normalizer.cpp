#include "modules/attention/normalizer.hpp"

#include "core/check.hpp"
#include "core/number.hpp"

namespace fovea {

Normalizer normalizer_named(const std::string& name) {
  if (name == "softmax") return {};
  if (name == "sparsemax") return {Normalizer::Kind::sparsemax};
  if (const auto k = number_behind("top-k:", name); k && *k > 0) return {Normalizer::Kind::top_k, *k};
  throw ConfigError(
      "[normalizer] expected softmax, sparsemax, or top-k:N with a number of keys N from 1 on, got \"" +
      name + "\"");
}

}  // namespace fovea
