#include <istream>
#include <ostream>
#include <set>
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

// Memory as a stream.
class Memory : public std::streambuf {
 public:
  explicit Memory(std::string_view bytes) {
    char* begin = const_cast<char*>(bytes.data());  // only read from: there is no put area
    setg(begin, begin, begin + bytes.size());
  }
};

// Reads a stream of which so many bytes belong to the entries.
class Reader {
 public:
  Reader(std::istream& stream, std::uint64_t size) : stream_(stream), left_(size - 1), archive_(stream) {}

  template <class T>
  T number() {
    require(1, sizeof(T), "a number");
    T value{};
    archive_(value);
    left_ -= sizeof(T);
    return value;
  }
  std::string text() {
    const auto length = number<std::uint64_t>();
    require(length, 1, "a text");
    std::string value(length, '\0');
    archive_(cereal::binary_data(value.data(), length));
    left_ -= length;
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
      left_ -= count * sizeof(T);
      return values;
    }
  }
  // What `list` reads, without keeping it.
  template <class T>
  void pass_over(std::uint64_t count) {
    if constexpr (std::is_same_v<T, std::string>) {
      list<T>(count);
    } else {
      require(count, sizeof(T), "values");
      stream_.seekg(static_cast<std::streamoff>(count * sizeof(T)), std::ios::cur);
      left_ -= count * sizeof(T);
    }
  }
  // Throws unless `count` pieces of `size` bytes can still come.
  void require(std::uint64_t count, std::uint64_t size, const char* what) const {
    check<CheckpointError>(count <= left() / size, "checkpoint", "it claims ", count, " × ", size,
                           " bytes of ", what, " where ", left(), " bytes are left");
  }
  std::uint64_t left() const { return left_; }

 private:
  std::istream& stream_;
  std::uint64_t left_;  // the archive reads a byte at once
  cereal::PortableBinaryInputArchive archive_;
};

// Calls `use` with a value of the type that a kind of values is made of.
template <class Use, std::size_t... Kind>
void with_kind(std::size_t kind, const Use& use, std::index_sequence<Kind...>) {
  const bool known = ((kind == Kind &&
                       (use(typename std::variant_alternative_t<Kind, Entry::Values>::value_type{}), true)) ||
                      ...);
  check<CheckpointError>(known, "checkpoint", "there is no kind ", kind, " of values");
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
  Memory memory(bytes);
  std::istream stream(&memory);
  return unpack(stream, bytes.size());
}

Entries Entries::unpack(std::istream& bytes, std::uint64_t size, const Wanted& wanted) {
  check<CheckpointError>(size > 0, "checkpoint", "it is empty");  // cereal's archive reads one byte at once
  Reader reader(bytes, size);
  Entries entries;
  std::set<std::string, std::less<>> passed_over;
  const auto count = reader.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name = reader.text();
    const auto kind = reader.number<std::uint8_t>();
    const auto rank = reader.number<std::uint64_t>();
    check<CheckpointError>(rank <= most_axes, "checkpoint", name, " claims ", rank, " axes");
    std::vector<std::uint64_t> shape = reader.list<std::uint64_t>(rank);
    const std::optional<std::uint64_t> volume = volume_of(shape);
    check<CheckpointError>(volume.has_value(), "checkpoint", "the lengths of a shape overflow");
    check<CheckpointError>(!entries.find(name) && !passed_over.contains(name), "checkpoint", name,
                           " occurs twice");
    const auto read = [&]<class T>(T) {
      if (wanted && !wanted(name)) {
        reader.pass_over<T>(*volume);
        passed_over.insert(std::move(name));
      } else {
        Entry::Values values = reader.list<T>(*volume);
        entries.add(std::move(name), std::move(shape), std::move(values));
      }
    };
    with_kind(kind, read, std::make_index_sequence<std::variant_size_v<Entry::Values>>());
  }
  check<CheckpointError>(reader.left() == 0, "checkpoint", reader.left(), " bytes are left over at its end");
  return entries;
}

}  // namespace fovea
