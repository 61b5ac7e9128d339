#include "training/safetensors.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "training/array_values.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

using Json = nlohmann::json;  // ordered_json goes through all keys for each one

constexpr std::uint64_t most_header = 100'000'000;  // as the library has it
constexpr std::uint64_t alignment = 8;
constexpr const char* about_name = "__metadata__";

struct Place {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

std::optional<ElementType> type_of(std::string_view dtype) {
  if (dtype == "F64") return ElementType::f64;
  if (dtype == "F32") return ElementType::f32;
  if (dtype == "F16") return ElementType::f16;
  if (dtype == "BF16") return ElementType::bf16;
  return {};
}

// Bits of one value, or nothing for a type that does not say it. The library's do: I64, F8_E4M3, F4.
std::optional<std::uint64_t> bits_of(std::string_view dtype) {
  if (dtype == "BOOL") return 8;
  const std::size_t digits = std::min(dtype.find_first_of("0123456789"), dtype.size());
  std::uint32_t bits = 0;
  std::from_chars(dtype.data() + digits, dtype.data() + dtype.size(), bits);
  return bits > 0 ? std::optional<std::uint64_t>(bits) : std::nullopt;
}

// Looks for a name that is there twice, of which a parsed header keeps one. (With a callback the parser would
// go through all names at the end of each array.)
class Names : public Json::json_sax_t {
 public:
  std::optional<std::string> twice;

  bool key(string_t& name) override {
    if (depth_ == 1 && !seen_.insert(name).second) twice = name;
    return !twice;
  }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return depth_-- > 0; }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;  // which is told when the header is parsed
  }

 private:
  std::size_t depth_ = 0;
  std::set<std::string> seen_;
};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file) : file_(file) {
    constexpr std::size_t field = sizeof(std::uint64_t);
    if (bytes.size() < field) fail("", "the file ends before the size of its header");
    const std::uint64_t size = little_endian(bytes.substr(0, field));
    bytes.remove_prefix(field);
    if (size > bytes.size() || size > most_header)
      fail("", join("the header is said to have ", size, " bytes; ", bytes.size(), " are there"));
    header_ = bytes.substr(0, size);
    data_ = bytes.substr(size);
  }

  Arrays read() {
    std::vector<Place> places = places_of();
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    Arrays arrays;
    std::uint64_t done = 0;
    for (Place& place : places) {
      if (place.begin != done)
        fail(place.name, join(place.begin < done ? "overlaps another array" : "leaves a gap before it",
                              ": begins at ", place.begin, " where ", done, " is next"));
      done = place.end;
      const std::string_view values = data_.substr(place.begin, place.end - place.begin);
      if (const std::optional<ElementType> type = type_of(place.dtype)) {
        arrays.read.add(std::move(place.name), std::move(place.shape), values_of(values, *type));
      } else {
        arrays.unread.push_back(
            {std::move(place.name), std::move(place.dtype), std::move(place.shape), xxh3(values)});
      }
    }
    if (done != data_.size()) fail("", join(data_.size() - done, " bytes belong to no array"));
    return arrays;
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw DataError(join(file_, ": ", name, name.empty() ? "" : ": ", what));
  }

  std::vector<Place> places_of() const {
    Names names;
    Json::sax_parse(header_, &names);
    if (names.twice) fail(*names.twice, "is there twice");
    Json header;
    try {
      header = Json::parse(header_);
    } catch (const Json::exception& error) {
      fail("", join("the header is no JSON: ", error.what()));
    }
    if (!header.is_object()) fail("", "the header is no JSON object");
    std::vector<Place> places;
    for (const auto& [name, facts] : header.items())
      if (name != about_name) places.push_back(place_of(name, facts));
    return places;
  }

  Place place_of(const std::string& name, const Json& facts) const {
    Place place;
    place.name = name;
    try {
      place.dtype = facts.at("dtype").get<std::string>();
      for (const Json& length : listed(facts, "shape")) place.shape.push_back(whole(length));
      const Json& offsets = listed(facts, "data_offsets");
      if (offsets.size() != 2) fail(name, "data_offsets are not two");
      place.begin = whole(offsets[0]);
      place.end = whole(offsets[1]);
    } catch (const Json::exception& error) {
      fail(name, error.what());
    }
    if (place.begin > place.end || place.end > data_.size())
      fail(name, join("lies at ", place.begin, " to ", place.end, " of ", data_.size(), " bytes"));
    const std::uint64_t bytes = place.end - place.begin, there = 8 * bytes;
    const std::optional<std::uint64_t> count = volume_of(place.shape), bits = bits_of(place.dtype);
    if (!count || (bits && (there % *bits != 0 || there / *bits != *count)))
      fail(name, join("has ", bytes, " bytes, which its shape ", facts["shape"].dump(), " of ", place.dtype,
                      " does not have"));
    return place;
  }

  // Anything else can be gone through as a list, too, with one element, or none.
  static const Json& listed(const Json& facts, const char* name) {
    const Json& list = facts.at(name);
    if (!list.is_array())
      throw Json::type_error::create(302, join(name, " is no list but ", list.type_name()), &list);
    return list;
  }

  // The message does not write out what is there: lists in lists in lists … would overflow the stack.
  static std::uint64_t whole(const Json& number) {
    if (!number.is_number_unsigned())
      throw Json::type_error::create(302, join("expected a whole number, got ", number.type_name()), &number);
    return number.get<std::uint64_t>();
  }

  std::string file_;
  std::string_view header_, data_;
};

}  // namespace

std::string write_safetensors(const Entries& arrays, const std::map<std::string, std::string>& about) {
  std::string header = "{", data;
  const auto add = [&](const std::string& name, const nlohmann::ordered_json& facts) {
    header += (header.size() > 1 ? "," : "") + Json(name).dump() + ":" + facts.dump();
  };
  if (!about.empty()) add(about_name, about);
  for (const Entry& entry : arrays.all()) {
    const auto begin = data.size();
    const char* dtype = nullptr;
    const auto append = [&](const auto& values, const char* name) {
      dtype = name;
      data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
    };
    if (const auto* single = std::get_if<std::vector<float>>(&entry.values)) append(*single, "F32");
    if (const auto* twice = std::get_if<std::vector<double>>(&entry.values)) append(*twice, "F64");
    check<Error>(dtype != nullptr, "safetensors", entry.name, " holds ", kind_name(entry),
                 " values; f32 and f64 are written");
    check<Error>(entry.name != about_name, "safetensors", "no array can have the name ", about_name,
                 ", which is the format's own; --map gives it another, or write a .npz file");
    add(entry.name, {{"dtype", dtype}, {"shape", entry.shape}, {"data_offsets", {begin, data.size()}}});
  }
  header += '}';
  header.append((alignment - header.size() % alignment) % alignment, ' ');
  return little_endian(header.size(), sizeof(std::uint64_t)) + header + data;
}

Arrays read_safetensors(std::string_view bytes, const std::string& file) {
  return Reader(bytes, file).read();
}

}  // namespace fovea
