#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "training/checkpoint_file.hpp"
#include "training/unread.hpp"

// Arrays by name in the files that other programs read and write. The ending of a file's name says what it
// is.

namespace fovea {

/// A checkpoint's parameters and buffers by their paths.
Entries arrays_of(const Checkpoint& checkpoint);

/// The arrays of a .safetensors, .npz or .fovea file; a checkpoint has none that are not read. ConfigError
/// for another ending; DataError, or of a checkpoint CheckpointError, for a file that cannot be read or is
/// not what it should be.
Arrays read_arrays(const std::filesystem::path& path);

/// True for the files that `write_arrays` writes, by their ending.
bool is_exchange_file(const std::filesystem::path& path);

/// ConfigError unless it is one: to ask before any work is done.
void check_writable_ending(const std::filesystem::path& path);

/// Replaces `path`, a .safetensors or .npz file, in one step. `about` goes into a safetensors file; numpy's
/// has no place for it. ConfigError for another ending, Error when it cannot be written.
void write_arrays(const std::filesystem::path& path, const Entries& arrays,
                  const std::map<std::string, std::string>& about = {});

}  // namespace fovea
