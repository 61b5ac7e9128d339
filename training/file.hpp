#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "core/check.hpp"

namespace fovea {

/// Replaces a file in one step: written to a temporary name in the same folder, flushed to the disk, then
/// renamed. After a crash there is the old content or the new one. Error with the reason when that fails
/// (a full disk, a read-only folder); the old file is intact then. When only the last thing fails, to flush
/// the folder, the Error says that the file is written: it is the new one, which a crash of the system may
/// still undo.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

/// NAME.PID.tmp, which `replace_file` writes first: no two processes write into one. It is left behind when
/// the process is killed in the middle.
std::filesystem::path temporary_name(const std::filesystem::path& path);
/// NAME of such a file, of whichever process (also NAME.tmp of earlier versions); nothing for any other file.
std::optional<std::filesystem::path> name_behind(const std::filesystem::path& temporary);

/// Adds to the end of a file, which is made where there is none. Error with the reason when that fails; a
/// part of `bytes` may be there then, as after a crash.
void append_file(const std::filesystem::path& path, std::string_view bytes);

/// The bytes of a file. Error with the reason.
std::string read_file(const std::filesystem::path& path);

/// XXH3 of a file's bytes, 16 hex digits: how a run tells that its data has changed. Error with the reason.
std::string file_checksum(const std::filesystem::path& path);

/// What stands at the start of a `.fovea` file: magic (8 bytes), format version and kind (u32 each), size of
/// what follows and its checksum (u64 each, all little-endian). The checksum, XXH3, covers the header too.
namespace envelope {

/// The file is of a version that only a newer program reads.
struct NewerVersion : CheckpointError {
  using CheckpointError::CheckpointError;
};

/// A stream ended before the size that it had, as on a disk with errors.
struct Unreadable : CheckpointError {
  using CheckpointError::CheckpointError;
};

inline constexpr std::uint32_t version = 1;
inline constexpr std::uint32_t checkpoint = 1;  // a kind
inline constexpr std::size_t header_size = 32;

std::string wrap(std::uint32_t kind, std::string_view payload);
/// The payload of a whole file's bytes. CheckpointError when it is anything else than what `wrap` made,
/// NewerVersion when a later `wrap` made it.
std::string_view unwrap(std::uint32_t kind, std::string_view file);
/// The same of a file that is read piece by piece: leaves the stream where the payload begins, and returns
/// the payload's size.
std::uint64_t unwrap(std::uint32_t kind, std::istream& file);

}  // namespace envelope
}  // namespace fovea
