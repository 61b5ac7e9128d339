#include <algorithm>
#include <istream>
#include <memory>

#include <xxhash.h>

#include "training/array_values.hpp"
#include "training/file.hpp"
#include "training/require.hpp"

namespace fovea::envelope {
namespace {

// As PNG's: a byte that is no ASCII, a name, and line ends that a text transfer would change.
constexpr std::string_view magic =
    "\x89"
    "FOVEA\r\n";
constexpr std::size_t checked_header = 24;   // what stands before the checksum
constexpr std::size_t piece_size = 1 << 18;  // of a file, that is read at a time

// XXH3 of what is added, piece by piece.
class Checksum {
 public:
  Checksum() { XXH3_64bits_reset(state_.get()); }
  Checksum& add(std::string_view bytes) {
    XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
    return *this;
  }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_{XXH3_createState(), XXH3_freeState};
};

// What a header claims. The first bytes of a file have to be one, and fit the file's size.
struct Header {
  std::uint64_t kind = 0, payload = 0, checksum = 0;
};

Header read_header(std::string_view begin, std::uint64_t file_size) {
  require<CheckpointError>(begin.substr(0, magic.size()) == magic.substr(0, begin.size()) && !begin.empty(),
                           "it is not a .fovea file");
  require<CheckpointError>(file_size >= header_size, "it is cut off: ", file_size,
                           " bytes are less than a header");
  const std::uint64_t written = little_endian(begin.substr(8, 4));
  require<NewerVersion>(written <= version, "file is version ", written, ", this program reads up to ",
                        version);
  require<CheckpointError>(written >= 1, "file is version ", written, ", which never was");
  const Header header{little_endian(begin.substr(12, 4)), little_endian(begin.substr(16, 8)),
                      little_endian(begin.substr(24, 8))};
  const std::uint64_t there = file_size - header_size;
  require<CheckpointError>(there >= header.payload, "it is cut off: ", header.payload,
                           " bytes are claimed after the header, ", there, " are there");
  require<CheckpointError>(there == header.payload, there - header.payload, " bytes stand after its end");
  return header;
}

void check_content(const Header& header, const Checksum& found, std::uint32_t kind) {
  require<CheckpointError>(found.value() == header.checksum, "it is damaged: its checksum does not fit");
  require<CheckpointError>(header.kind == kind, "it is of kind ", header.kind, "; expected kind ", kind);
}

}  // namespace

std::string wrap(std::uint32_t kind, std::string_view payload) {
  std::string bytes(magic);
  bytes.reserve(header_size + payload.size());
  bytes += little_endian(version, 4);
  bytes += little_endian(kind, 4);
  bytes += little_endian(payload.size(), 8);
  bytes += little_endian(Checksum().add(bytes).add(payload).value(), 8);
  return bytes.append(payload);
}

std::string_view unwrap(std::uint32_t kind, std::string_view file) {
  const Header header = read_header(file.substr(0, header_size), file.size());
  const std::string_view payload = file.substr(header_size);
  check_content(header, Checksum().add(file.substr(0, checked_header)).add(payload), kind);
  return payload;
}

std::uint64_t unwrap(std::uint32_t kind, std::istream& file) {
  const auto size = static_cast<std::uint64_t>(file.seekg(0, std::ios::end).tellg());
  file.seekg(0);
  std::string piece(piece_size, '\0');
  const auto next = [&](std::uint64_t most) {
    file.read(piece.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(most, piece.size())));
    return std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount()));
  };
  const std::string_view begin = next(std::min<std::uint64_t>(size, header_size));
  const Header header = read_header(begin, size);
  Checksum found;
  found.add(begin.substr(0, checked_header));
  for (std::uint64_t left = header.payload; left > 0;) {
    const std::string_view some = next(left);
    require<Unreadable>(!some.empty(), "it cannot be read to its end: ", left, " bytes are left");
    found.add(some);
    left -= some.size();
  }
  check_content(header, found, kind);
  file.seekg(header_size);
  return header.payload;
}

}  // namespace fovea::envelope
