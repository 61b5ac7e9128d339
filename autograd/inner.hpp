#pragma once

#include "autograd/variable.hpp"

// What a formula needs that records a graph of its own while backward runs, and goes through it
// (recompute.cpp). Its leaves may be those of the graph outside.

namespace fovea::inline FOVEA_REAL::detail {

/// While one is alive, this thread records, also where a NoGrad is alive.
class Recording {
 public:
  Recording();
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  bool before_;
};

/// How many nodes were made so far: the `order` of the next one is not below.
std::uint64_t nodes_made();

/// Error where the graph of `outputs` holds a node that is older, having been made before `nodes_made()` was
/// `first`, and is none of `leaves`: what flows there would be lost.
void check_inner(std::span<const Variable> outputs, std::span<const Variable> leaves, std::uint64_t first);

/// Σ over outputs of cotangent · d output / d leaf, one Value for each of `leaves`, empty where nothing
/// arrives; an empty cotangent is zero. The graph, which must be as `check_inner` wants it, is freed. Of the
/// pass that goes on around this one nothing is touched, however it ends: what has arrived at `leaves` there
/// and their hooks wait, because those gradients are not complete.
std::vector<Value> inner_gradients(std::span<const Variable> outputs, std::span<const Value> cotangents,
                                   std::span<const Variable> leaves, std::uint64_t first);

}  // namespace fovea::inline FOVEA_REAL::detail
