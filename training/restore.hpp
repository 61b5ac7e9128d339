#pragma once

#include <cstdint>

#include "core/memory.hpp"
#include "training/checkpoint_file.hpp"

namespace fovea {

/// How much memory the tensors of a model may take while it is made from a checkpoint: several times its
/// arrays, for start values that are replaced, and room for what a task makes of its data.
std::size_t memory_to_restore(const Checkpoint& from);

/// CheckpointError that the config asks for a much larger model than the file holds.
[[noreturn]] void refuse_size(const Checkpoint& from);

/// What `make()` returns, which builds a task from the config and state of a checkpoint. A file can claim any
/// width, so memory is limited to what its arrays can need; CheckpointError beyond.
template <class Make>
auto restored(const Checkpoint& from, const Make& make) {
  const memory::Budget budget(memory_to_restore(from));
  try {
    return make();
  } catch (const std::bad_alloc&) {
    refuse_size(from);
  }
}

}  // namespace fovea
