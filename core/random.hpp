#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fovea {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): the block of 128
/// random bits that belongs to a counter under a key.
std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                    const std::array<std::uint32_t, 2>& key);

/// The x with Φ(x) = p, for 0 < p < 1: the standard normal's quantile, good to about 1e-15 (Wichura's AS
/// 241).
double normal_quantile(double p);

/// A stream of random numbers that can be entered anywhere: draw `i` depends on (seed, stream, i) alone,
/// so a fill has the same bits for any number of threads and three numbers save and resume the stream.
/// Every draw below takes one step of the stream, except `below` and `permutation`, which may take more.
class Rng {
 public:
  struct State {
    std::uint64_t seed = 0, stream = 0, counter = 0;
    bool operator==(const State&) const = default;
  };

  explicit Rng(std::uint64_t seed = 0, std::uint64_t stream = 0) : state_{seed, stream, 0} {}

  /// A child stream, independent of this one and of all children with other labels or indices. It
  /// depends on (seed, stream, label) only; this stream does not move.
  Rng split(std::string_view label) const;
  Rng split(std::uint64_t index) const;

  /// 64 random bits.
  std::uint64_t bits();
  /// Uniform in [0, 1) with 53 bits.
  double uniform();
  double uniform(double lo, double hi);
  /// Standard normal, by inversion: one draw each.
  double normal();
  /// Standard normal conditioned on |x| <= 2.
  double truncated_normal();
  /// Uniform in 0 … n-1 without bias; 0 when `n` is 0.
  std::uint64_t below(std::uint64_t n);
  /// True with probability `p`.
  bool chance(double p) { return uniform() < p; }
  /// 0 … n-1 in random order.
  std::vector<std::size_t> permutation(std::size_t n);

  State state() const { return state_; }
  static Rng from(State state);

  /// Draws `first`, `first + 1`, … counted from the current position, without moving.
  void peek(std::uint64_t first, std::span<std::uint64_t> out) const;
  /// Moves on by `count` draws.
  void skip(std::uint64_t count) { state_.counter += count; }

  /// What `uniform`, `normal` and `truncated_normal` make of 64 bits.
  static double to_uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
  static double to_normal(std::uint64_t bits);
  static double to_truncated_normal(std::uint64_t bits);

 private:
  State state_;
};

}  // namespace fovea
