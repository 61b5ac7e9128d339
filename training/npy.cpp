#include "training/npy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "training/array_values.hpp"
#include "training/require.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t start = 8;       // magic and version
constexpr std::size_t alignment = 64;  // of the values, as numpy has it
constexpr std::size_t most_axes = 64;  // numpy's own limit
constexpr std::size_t most_header = 65535;

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<std::uint64_t> shape;
};

// Reads the only kind of Python dict that numpy writes: three keys, a text, a truth value and a tuple.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Header parse() {
    std::optional<std::string> descr;
    std::optional<bool> fortran;
    std::optional<std::vector<std::uint64_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::string key = text();
      expect(':');
      if (key == "descr" && !descr) {
        descr = type();
      } else if (key == "fortran_order" && !fortran) {
        fortran = truth();
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        fail("has \"" + key + "\" twice, or where it is not known");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!text_.empty()) fail("goes on after its }");
    if (!descr || !fortran || !shape) fail("lacks descr, fortran_order or shape");
    return {*descr, *fortran, *shape};
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw DataError("its header " + what); }

  void skip_spaces() {
    const std::size_t word = text_.find_first_not_of(" \n\t");
    text_.remove_prefix(std::min(word, text_.size()));
  }
  bool accept(char sign) {
    skip_spaces();
    if (!text_.starts_with(sign)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char sign) {
    if (!accept(sign))
      fail(join("has ", text_.empty() ? "ended" : "\"" + std::string(text_.substr(0, 12)) + "\"", " where ",
                sign, " was expected"));
  }
  std::string text() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) fail("has a text without an end");
    std::string found(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return found;
  }
  // A record's type is a list of its fields', of which nothing is needed but the end.
  std::string type() {
    skip_spaces();
    if (!text_.starts_with('[')) return text();
    std::size_t depth = 0, end = 0;
    do {
      if (end == text_.size()) fail("has a list without an end");
      depth += text_[end] == '[';
      depth -= text_[end] == ']';
      ++end;
    } while (depth > 0);
    std::string found(text_.substr(0, end));
    text_.remove_prefix(end);
    return found;
  }
  bool truth() {
    skip_spaces();
    const bool value = text_.starts_with("True");
    if (!value && !text_.starts_with("False")) fail("has a fortran_order that is neither True nor False");
    text_.remove_prefix(value ? 4 : 5);
    return value;
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> lengths;
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      std::uint64_t length = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), length);
      if (error != std::errc()) fail("has a shape that is not of whole numbers");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      lengths.push_back(length);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    if (lengths.size() > most_axes) fail(join("claims ", lengths.size(), " axes"));
    return lengths;
  }

  std::string_view text_;
};

std::optional<ElementType> type_of(std::string_view descr) {
  if (descr == "<f8") return ElementType::f64;
  if (descr == "<f4") return ElementType::f32;
  if (descr == "<f2") return ElementType::f16;
  return {};
}

// Bytes of one value, or nothing where the type does not tell, as of objects and records.
std::optional<std::uint64_t> item_size(std::string_view descr) {
  if (descr.size() < 3 || std::string_view("biufcmMSUV").find(descr[1]) == std::string_view::npos) return {};
  std::uint32_t size = 0;
  if (std::from_chars(descr.data() + 2, descr.data() + descr.size(), size).ec != std::errc()) return {};
  return descr[1] == 'U' ? std::uint64_t{4} * size : size;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "(";
  for (const std::uint64_t length : shape)
    text += (text.size() > 1 ? " " : "") + std::to_string(length) + ",";
  if (shape.size() > 1) text.pop_back();
  return text + ")";
}

}  // namespace

std::string write_npy(const Entry& array) {
  std::string_view values;
  const auto see = [&](const auto& list) {
    values = {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0])};
  };
  const auto* single = std::get_if<std::vector<float>>(&array.values);
  if (single) see(*single);
  if (const auto* twice = std::get_if<std::vector<double>>(&array.values)) {
    see(*twice);
  } else {
    check<Error>(single != nullptr, "npz", array.name, " holds ", kind_name(array),
                 " values; f32 and f64 are written");
  }
  std::string header = join("{'descr': '", single ? "<f4" : "<f8",
                            "', 'fortran_order': False, 'shape': ", shape_text(array.shape), ", }");
  const std::size_t before = start + 2;  // magic, version and the header's size
  header.append(alignment - 1 - (before + header.size()) % alignment, ' ');
  header += '\n';
  check<Error>(header.size() <= most_header, "npz", array.name, " has ", array.shape.size(), " axes");
  std::string bytes(magic);
  bytes += {1, 0};  // version
  return bytes.append(little_endian(header.size(), 2)).append(header).append(values);
}

void read_npy(std::uint64_t size, const std::function<std::string(std::uint64_t)>& take,
              const std::string& name, Arrays& arrays) {
  require(size >= start, "is no array: ", size, " bytes are less than a header");
  const std::string begin = take(start);
  require(begin.starts_with(magic), "is no array of numpy's");
  const int version = begin[6];
  require(version >= 1 && version <= 3, "is of version ", version, " of the format; 1 to 3 are read");
  const std::uint64_t field = version == 1 ? 2 : 4;
  require(size >= start + field, "ends within its header");
  const std::uint64_t length = little_endian(take(field)), before = start + field + length;
  require(length <= most_header && before <= size, "its header is said to have ", length, " bytes of ", size);
  const Header header = HeaderParser(take(length)).parse();

  const std::optional<std::uint64_t> count = volume_of(header.shape), item = item_size(header.descr);
  const std::uint64_t there = size - before;
  const bool fits = !item || (*item == 0 ? there == 0 : there % *item == 0 && there / *item == count);
  require(count && fits, "has ", there, " bytes, which its shape ", shape_text(header.shape), " of ",
          header.descr, " does not have");
  const std::optional<ElementType> type = type_of(header.descr);
  if (!type) {
    arrays.unread.push_back({name, header.descr, header.shape, xxh3(take(there))});
    return;
  }
  Entry array{"", header.shape, values_of(take(there), *type)};
  if (header.fortran) {
    std::reverse(array.shape.begin(), array.shape.end());  // as which the bytes are in C order
    array = transposed(array);
  }
  arrays.read.add(name, std::move(array.shape), std::move(array.values));
}

}  // namespace fovea
