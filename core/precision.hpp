#pragma once

#include <string>
#include <vector>

namespace fovea {

/// What the operands of matrix products (core/blas.hpp) are rounded to before they are multiplied. Sums and
/// results are f32 in any case, and so is all that is not a product.
enum class Precision {
  f32,
  bf16,          ///< by the CPU's own instructions for bf16, through oneDNN
  bf16_emulated  ///< operands are rounded to bf16 and multiplied in f32: on any CPU, and slower than f32
};

/// f32, bf16, bf16-emulated.
const std::vector<std::string>& precision_names();
/// ConfigError for any other name.
Precision precision_of(const std::string& name);

/// ConfigError that says why, where this machine or this build has no such products.
void check_available(Precision precision);

/// The one in use; f32 if nothing was said.
Precision product_precision();

/// Sets the precision of the whole process, all of its threads, until its end; then it is what it was before.
/// ConfigError as check_available. Products in double precision (the build f64) refuse any but f32.
class WithPrecision {
 public:
  explicit WithPrecision(Precision precision);
  ~WithPrecision();
  WithPrecision(const WithPrecision&) = delete;
  WithPrecision& operator=(const WithPrecision&) = delete;

 private:
  Precision before_;
};

}  // namespace fovea
