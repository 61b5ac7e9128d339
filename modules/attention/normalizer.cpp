#include "modules/attention/normalizer.hpp"

#include <charconv>
#include <string_view>

#include "core/check.hpp"

namespace fovea {

Normalizer normalizer_named(const std::string& name) {
  if (name == "softmax") return {};
  if (name == "sparsemax") return {Normalizer::Kind::sparsemax};
  const std::string_view text = name, kind = "top-k:";
  if (text.starts_with(kind)) {
    std::size_t k = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kind.size(), end, k);
    if (error == std::errc() && stop == end && k > 0) return {Normalizer::Kind::top_k, k};
  }
  throw ConfigError(
      "[normalizer] expected softmax, sparsemax, or top-k:N with a number of keys N from 1 on, got \"" +
      name + "\"");
}

}  // namespace fovea
