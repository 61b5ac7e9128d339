#pragma once

#include "core/kernels/kernels.hpp"

// Each source of this folder fills its part of the table. All else in them has internal linkage, so that the
// linker cannot merge code of one instruction level with another's.
namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {

void set_elementwise(Kernels& table);
void set_gradients(Kernels& table);
void set_reductions(Kernels& table);
void set_products(Kernels& table);
void set_softmax(Kernels& table);
void set_norms(Kernels& table);
void set_entropy(Kernels& table);
void set_tile_product(Kernels& table);
void set_additive(Kernels& table);
void set_attention(Kernels& table);
void set_recurrent(Kernels& table);
void set_random(Kernels& table);
void set_steps(Kernels& table);
void set_bf16(Kernels& table);

/// All of the above.
void set_kernels(Kernels& table);

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
