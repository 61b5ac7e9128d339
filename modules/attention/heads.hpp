#pragma once

#include "modules/attention/multi_head.hpp"

namespace fovea::inline FOVEA_REAL {

/// The attentions of a layer's heads, each in its part of the width, side by side in `context`. Queries, keys
/// and values are projected; heads that are alike, and neighbours, are computed together.
Attended attend_by_heads(const MultiHead& module, const Variable& query, const Variable& keys,
                         const Variable& values, const AttentionOptions& options);

/// How many heads are computed together, from the first on.
std::vector<std::size_t> sizes_of_groups(const MultiHead& module);

/// Whether one call of packed_attention does the same.
bool is_packed(const MultiHead& module);
Attended attend_packed(const MultiHead& module, const Variable& packed, AttentionOptions options);

}  // namespace fovea::inline FOVEA_REAL
