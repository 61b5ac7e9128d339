#pragma once

#include "autograd/ops.hpp"
#include "core/random.hpp"
#include "modules/fields.hpp"

namespace fovea::inline FOVEA_REAL {

/// Keys and values projected along time to a fixed number of slots (Wang et al., 2020: Linformer):
///
///     K' = E K   V' = F V        E, F [rank, longest], of which a sequence of Tk takes the first Tk columns
///
/// so that queries are scored against `rank` slots, whatever the length, by any score. A slot is a mixture of
/// all positions: causal masks and patterns mean nothing for it; padding is left out of it. With rank = Tk
/// and E = F = the identity it is full attention.
struct LowRank {
  Param keys, values;  // E and F; start normal with a variance of 1 / rank, as in the paper's theorem 2
  FIELDS(keys, values)

  LowRank() = default;
  LowRank(std::size_t rank, std::size_t longest, Rng& rng);

  std::size_t rank() const { return keys.shape()[0]; }
  std::size_t longest() const { return keys.shape()[1]; }

  struct Slots {
    Variable keys, values;  // [B, rank, width]
    Mask mask;              // of the queries that see slots at all: those of an item that has keys
  };
  /// Of keys and values [B, Tk, width] for so many queries. ShapeError where Tk is beyond `longest`,
  /// ConfigError for a mask with parts other than key and query lengths.
  Slots operator()(const Variable& keys, const Variable& values, const Mask& mask, std::size_t queries) const;
};

}  // namespace fovea::inline FOVEA_REAL
