#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// ZIP files in memory, by libzip.

namespace fovea {

struct ZipMember {
  std::string name, bytes;
};

/// The members as they are, not compressed. Equal members make equal bytes.
std::string write_zip(const std::vector<ZipMember>& members);

/// Reads a ZIP file and trusts nothing of it: members may be stored or deflated, overlap nowhere, and none
/// claims a size that its compressed bytes cannot have. DataError that says what is wrong.
class ZipReader {
 public:
  /// `bytes` have to live as long as this.
  explicit ZipReader(std::string_view bytes);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  std::uint64_t size() const;
  std::string name(std::uint64_t member) const;

  /// Begins to read a member, instead of the one before. Returns the size that is claimed.
  std::uint64_t open(std::uint64_t member);
  /// The next bytes of the open member: allocates in pieces, as they come. DataError when there are fewer.
  std::string take(std::uint64_t count);
  /// DataError unless all has been taken and the member's checksum fits.
  void finish();

 private:
  struct Archive;
  std::unique_ptr<Archive> archive_;
};

}  // namespace fovea
