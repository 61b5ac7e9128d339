#include <memory>

#include <xxhash.h>

#include "core/check.hpp"
#include "training/file.hpp"

namespace fovea::envelope {
namespace {

// As PNG's: a byte that is no ASCII, a name, and line ends that a text transfer would change.
constexpr std::string_view magic =
    "\x89"
    "FOVEA\r\n";
constexpr std::size_t checked_header = 24;  // what stands before the checksum

void put(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t get(std::string_view bytes, std::size_t offset, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[offset + static_cast<std::size_t>(i)])}
             << (8 * i);
  }
  return value;
}

std::uint64_t checksum(std::string_view header, std::string_view payload) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_64bits_reset(state.get());
  XXH3_64bits_update(state.get(), header.data(), header.size());
  XXH3_64bits_update(state.get(), payload.data(), payload.size());
  return XXH3_64bits_digest(state.get());
}

template <class E = CheckpointError, class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) throw E(join(parts...));
}

}  // namespace

std::string wrap(std::uint32_t kind, std::string_view payload) {
  std::string bytes(magic);
  bytes.reserve(header_size + payload.size());
  put(bytes, version, 4);
  put(bytes, kind, 4);
  put(bytes, payload.size(), 8);
  put(bytes, checksum(bytes, payload), 8);
  return bytes.append(payload);
}

std::string_view unwrap(std::uint32_t kind, std::string_view file) {
  require(file.substr(0, magic.size()) == magic.substr(0, file.size()) && !file.empty(),
          "it is not a .fovea file");
  require(file.size() >= header_size, "it is cut off: ", file.size(), " bytes are less than a header");
  const std::uint64_t written = get(file, 8, 4);
  require<NewerVersion>(written <= version, "file is version ", written, ", this program reads up to ",
                        version);
  require(written >= 1, "file is version ", written, ", which never was");
  const std::uint64_t size = get(file, 16, 8);
  const std::string_view payload = file.substr(header_size);
  require(payload.size() >= size, "it is cut off: ", size, " bytes are claimed after the header, ",
          payload.size(), " are there");
  require(payload.size() == size, payload.size() - size, " bytes stand after its end");
  require(checksum(file.substr(0, checked_header), payload) == get(file, 24, 8),
          "it is damaged: its checksum does not fit");
  require(get(file, 12, 4) == kind, "it is of kind ", get(file, 12, 4), "; expected kind ", kind);
  return payload;
}

}  // namespace fovea::envelope
