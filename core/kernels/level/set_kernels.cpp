#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {

void set_kernels(Kernels& table) {
  set_elementwise(table);
  set_gradients(table);
  set_reductions(table);
  set_products(table);
  set_softmax(table);
  set_norms(table);
  set_entropy(table);
  set_tile_product(table);
  set_additive(table);
  set_attention(table);
  set_recurrent(table);
  set_random(table);
  set_steps(table);
  set_bf16(table);
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
