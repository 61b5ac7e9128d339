#pragma once

#include <span>

#include "core/random.hpp"
#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL {

// Tensors of random numbers. Element `i` is draw `i` of the stream, which moves on by the tensor's size:
// the same numbers in f32 (rounded) and f64, and the same bits for any number of threads.

/// While one is alive, this thread draws nothing: the three functions below return zeros, and the stream
/// moves on all the same. For a model whose start values are about to be replaced by what was saved.
class NoDraws {
 public:
  NoDraws();
  ~NoDraws();
  NoDraws(const NoDraws&) = delete;
  NoDraws& operator=(const NoDraws&) = delete;

 private:
  bool before_;
};
/// False while this thread has a NoDraws.
bool drawing();

/// Uniform between `lo` and `hi`. (In f32 rounding may yield `hi` itself.)
Tensor uniform(Rng& rng, const Shape& shape, Real lo, Real hi);
Tensor normal(Rng& rng, const Shape& shape, Real mean, Real deviation);
/// Normal, conditioned on lying within two deviations of the mean.
Tensor truncated_normal(Rng& rng, const Shape& shape, Real mean, Real deviation);
/// Elements are 1 with probability `keep_probability` (to 2^-32; not less than that), else 0. Half a draw
/// each: the stream moves on by half the size, rounded up.
Tensor keep_mask(Rng& rng, const Shape& shape, double keep_probability);
/// Which elements of a tensor were kept: 1, else 0.
using KeptElements = xt::uvector<unsigned char, AlignedAllocator<unsigned char>>;
/// x / keep_probability where keep_mask would have 1, else 0, whatever x holds there; notes which in `keep`.
Tensor drop(Rng& rng, const Tensor& x, double keep_probability, KeptElements& keep);
/// The same for what `drop` has kept.
Tensor drop_as_before(const Tensor& x, double keep_probability, const KeptElements& keep);
/// Elements `first` … of such a mask, of whatever shape; the stream does not move.
void keep_elements(const Rng& rng, double keep_probability, std::uint64_t first, std::span<Real> out);

}  // namespace fovea::inline FOVEA_REAL
