#include "training/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include <nlohmann/json.hpp>

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie in memory");

constexpr std::uint64_t most_header = 100'000'000;  // as the library has it
constexpr std::uint64_t alignment = 8;

struct Place {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

std::uint64_t width_of(std::string_view dtype) {
  if (dtype == "F64") return 8;
  if (dtype == "F32") return 4;
  return dtype == "F16" || dtype == "BF16" ? 2 : 0;
}

// IEEE 754 binary16. Subnormal numbers are m · 2⁻²⁴.
float from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
                      fraction = bits & 0x3ff;
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -small : small;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <class T>
std::vector<T> copied(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class Widen>
std::vector<float> widened(std::string_view bytes, const Widen& widen) {
  std::vector<float> values;
  for (const std::uint16_t half : copied<std::uint16_t>(bytes)) values.push_back(widen(half));
  return values;
}

Entry::Values values_of(std::string_view bytes, std::string_view dtype) {
  if (dtype == "F64") return copied<double>(bytes);
  if (dtype == "F32") return copied<float>(bytes);
  return dtype == "F16" ? widened(bytes, from_half) : widened(bytes, from_bfloat);
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file) : file_(file) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof size) fail("", "the file ends before the size of its header");
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size > bytes.size() || size > most_header)
      fail("", join("the header is said to have ", size, " bytes; ", bytes.size(), " are there"));
    header_ = bytes.substr(0, size);
    data_ = bytes.substr(size);
  }

  Entries read() {
    std::vector<Place> places = places_of();
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    Entries entries;
    std::uint64_t done = 0;
    for (Place& place : places) {
      if (place.begin != done)
        fail(place.name, join(place.begin < done ? "overlaps another array" : "leaves a gap before it",
                              ": begins at ", place.begin, " where ", done, " is next"));
      done = place.end;
      entries.add(std::move(place.name), std::move(place.shape),
                  values_of(data_.substr(place.begin, place.end - place.begin), place.dtype));
    }
    if (done != data_.size()) fail("", join(data_.size() - done, " bytes belong to no array"));
    return entries;
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw DataError(join(file_, ": ", name, name.empty() ? "" : ": ", what));
  }

  std::vector<Place> places_of() const {
    std::set<std::string> names;
    const auto no_doubles = [&](int depth, Json::parse_event_t event, Json& parsed) {
      if (depth == 1 && event == Json::parse_event_t::key && !names.insert(parsed.get<std::string>()).second)
        fail(parsed.get<std::string>(), "is there twice");
      return true;
    };
    Json header;
    try {
      header = Json::parse(header_, no_doubles);
    } catch (const Json::exception& error) {
      fail("", join("the header is no JSON: ", error.what()));
    }
    if (!header.is_object()) fail("", "the header is no JSON object");
    std::vector<Place> places;
    for (const auto& [name, facts] : header.items())
      if (name != "__metadata__") places.push_back(place_of(name, facts));
    return places;
  }

  Place place_of(const std::string& name, const Json& facts) const {
    Place place{name, "", {}};
    try {
      place.dtype = facts.at("dtype").get<std::string>();
      for (const Json& length : facts.at("shape")) place.shape.push_back(whole(length));
      const Json& offsets = facts.at("data_offsets");
      if (offsets.size() != 2) fail(name, "data_offsets are not two");
      place.begin = whole(offsets[0]);
      place.end = whole(offsets[1]);
    } catch (const Json::exception& error) {
      fail(name, error.what());
    }
    const std::uint64_t width = width_of(place.dtype);
    if (width == 0) fail(name, "is of " + place.dtype + "; F64, F32, F16 and BF16 are read");
    if (place.begin > place.end || place.end > data_.size())
      fail(name, join("lies at ", place.begin, " to ", place.end, " of ", data_.size(), " bytes"));
    // Divided, not multiplied: a product of lengths may be any number.
    std::uint64_t left = (place.end - place.begin) / width;
    const bool empty = std::find(place.shape.begin(), place.shape.end(), 0) != place.shape.end();
    bool fits = (place.end - place.begin) % width == 0;
    for (const std::uint64_t length : place.shape) {
      if (empty) break;
      fits = fits && left % length == 0;
      left /= length;
    }
    if (!fits || left != (empty ? 0 : 1))
      fail(name, join("has ", place.end - place.begin, " bytes, which its shape ", facts["shape"].dump(),
                      " of ", place.dtype, " does not have"));
    return place;
  }

  static std::uint64_t whole(const Json& number) {
    if (!number.is_number_unsigned())
      throw Json::type_error::create(302, "expected a whole number, got " + number.dump(), &number);
    return number.get<std::uint64_t>();
  }

  std::string file_;
  std::string_view header_, data_;
};

}  // namespace

std::string write_safetensors(const Entries& arrays, const std::map<std::string, std::string>& about) {
  Json header = Json::object();
  if (!about.empty()) header["__metadata__"] = about;
  std::string data;
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
    header[entry.name] = {{"dtype", dtype}, {"shape", entry.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.append((alignment - text.size() % alignment) % alignment, ' ');
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text + data;
}

Entries read_safetensors(std::string_view bytes, const std::string& file) {
  return Reader(bytes, file).read();
}

}  // namespace fovea
