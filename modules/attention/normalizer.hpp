#pragma once

#include <cstddef>
#include <string>

namespace fovea {

/// How the scores of a query become its weights.
struct Normalizer {
  enum class Kind {
    softmax,    ///< every allowed key has a part
    sparsemax,  ///< keys that score far below the best have a weight of exactly 0 (Martins, Astudillo, 2016)
    top_k,      ///< softmax over the k keys that score best, of equal ones the first; all others 0
  };
  Kind kind = Kind::softmax;
  std::size_t k = 0;  // of top_k

  bool is_softmax() const { return kind == Kind::softmax; }
};

/// `softmax`, `sparsemax`, or `top-k:N` with an N from 1 on; ConfigError for anything else.
Normalizer normalizer_named(const std::string& name);

}  // namespace fovea
