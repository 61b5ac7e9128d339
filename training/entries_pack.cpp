#include <istream>
#include <ostream>
#include <sstream>
#include <streambuf>

#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/common.hpp>

#include "training/array_values.hpp"
#include "training/entries.hpp"

// Layout, in cereal's portable binary: u64 number of entries; for each: text name, u8 kind, u64 rank, u64
// lengths of the axes, then the values: texts one by one, numbers as one block. A text is a u64 length and
// bytes.

namespace fovea {
namespace {

constexpr std::uint64_t most_axes = 32;

// Memory as a stream that knows how much of it is left.
class Memory : public std::streambuf {
 public:
  explicit Memory(std::string_view bytes) {
    char* begin = const_cast<char*>(bytes.data());  // only read from: there is no put area
    setg(begin, begin, begin + bytes.size());
  }
  std::uint64_t left() const { return static_cast<std::uint64_t>(egptr() - gptr()); }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : memory_(bytes), stream_(&memory_), archive_(stream_) {}

  template <class T>
  T number() {
    require(1, sizeof(T), "a number");
    T value{};
    archive_(value);
    return value;
  }
  std::string text() {
    const auto length = number<std::uint64_t>();
    require(length, 1, "a text");
    std::string value(length, '\0');
    archive_(cereal::binary_data(value.data(), length));
    return value;
  }
  template <class T>
  std::vector<T> list(std::uint64_t count) {
    if constexpr (std::is_same_v<T, std::string>) {
      require(count, sizeof(std::uint64_t), "texts");
      std::vector<std::string> values;
      for (std::uint64_t i = 0; i < count; ++i) values.push_back(text());
      return values;
    } else {
      require(count, sizeof(T), "values");
      std::vector<T> values(count);
      archive_(cereal::binary_data(values.data(), count * sizeof(T)));
      return values;
    }
  }
  // Throws unless `count` pieces of `size` bytes can still come.
  void require(std::uint64_t count, std::uint64_t size, const char* what) const {
    check<CheckpointError>(count <= left() / size, "checkpoint", "it claims ", count, " × ", size,
                           " bytes of ", what, " where ", left(), " bytes are left");
  }
  std::uint64_t left() const { return memory_.left(); }

 private:
  Memory memory_;
  std::istream stream_;
  cereal::PortableBinaryInputArchive archive_;
};

template <std::size_t... Kind>
Entry::Values read_values(Reader& reader, std::size_t kind, std::uint64_t count,
                          std::index_sequence<Kind...>) {
  Entry::Values values;
  const bool known =
      ((kind == Kind &&
        (values = reader.list<typename std::variant_alternative_t<Kind, Entry::Values>::value_type>(count),
         true)) ||
       ...);
  check<CheckpointError>(known, "checkpoint", "there is no kind ", kind, " of values");
  return values;
}

}  // namespace

std::string Entries::pack() const {
  std::ostringstream stream;
  cereal::PortableBinaryOutputArchive archive(stream,
                                              cereal::PortableBinaryOutputArchive::Options::LittleEndian());
  const auto write_text = [&archive](const std::string& text) {
    archive(static_cast<std::uint64_t>(text.size()), cereal::binary_data(text.data(), text.size()));
  };
  archive(static_cast<std::uint64_t>(entries_.size()));
  for (const Entry& entry : entries_) {
    write_text(entry.name);
    archive(static_cast<std::uint8_t>(entry.values.index()), static_cast<std::uint64_t>(entry.shape.size()));
    for (const std::uint64_t length : entry.shape) archive(length);
    std::visit(
        [&](const auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          if constexpr (std::is_same_v<T, std::string>) {
            for (const std::string& text : values) write_text(text);
          } else {
            archive(cereal::binary_data(values.data(), values.size() * sizeof(T)));
          }
        },
        entry.values);
  }
  return std::move(stream).str();
}

Entries Entries::unpack(std::string_view bytes) {
  check<CheckpointError>(!bytes.empty(), "checkpoint",
                         "it is empty");  // cereal's archive reads one byte at once
  Reader reader(bytes);
  Entries entries;
  const auto count = reader.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name = reader.text();
    const auto kind = reader.number<std::uint8_t>();
    const auto rank = reader.number<std::uint64_t>();
    check<CheckpointError>(rank <= most_axes, "checkpoint", name, " claims ", rank, " axes");
    std::vector<std::uint64_t> shape = reader.list<std::uint64_t>(rank);
    const std::optional<std::uint64_t> volume = volume_of(shape);
    check<CheckpointError>(volume.has_value(), "checkpoint", "the lengths of a shape overflow");
    Entry::Values values =
        read_values(reader, kind, *volume, std::make_index_sequence<std::variant_size_v<Entry::Values>>());
    check<CheckpointError>(entries.find(name) == nullptr, "checkpoint", name, " occurs twice");
    entries.add(std::move(name), std::move(shape), std::move(values));
  }
  check<CheckpointError>(reader.left() == 0, "checkpoint", reader.left(), " bytes are left over at its end");
  return entries;
}

}  // namespace fovea
