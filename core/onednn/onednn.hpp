#pragma once

#include <cstddef>
#include <string>

// Matrix products by oneDNN, for what OpenBLAS has not: operands in bf16. The library is looked for when it
// is first asked for, not when the program starts (40 MB that few trainings need), and is not needed by who
// never asks. This header knows nothing of its headers: without them `none.cpp` stands in.
namespace fovea::onednn {

/// A stored matrix, row-major, `stride` elements between the starts of rows; with `transposed` the product
/// sees its transpose.
struct Factor {
  const void* data;
  std::size_t stride;
  bool transposed;
};

enum class Kind { f32, bf16 };  // of the operands; a bf16 is 16 bits, the upper half of an f32

/// Why products of bf16 cannot be had: how this program was built, the CPU, the library, or that it failed a
/// self-test against exact results. Empty where they can. Found out at the first call.
const std::string& fault();

/// Why no products can be had, whatever the operands. For tests: those of f32 go the same way on any CPU.
const std::string& fault_of_library();

/// C[m, n] = op(A)[m, k] · op(B)[k, n] on the calling thread, with sums in f32; m, n, k > 0. `c_stride`
/// elements lie between rows of C; what C held is ignored. Error where the library refuses.
void multiply(Kind kind, std::size_t m, std::size_t n, std::size_t k, Factor a, Factor b, float* c,
              std::size_t c_stride);

/// `2.6.3, AMX`: the library's version and what it multiplies bf16 with. Where `fault` is empty.
std::string description();

}  // namespace fovea::onednn
