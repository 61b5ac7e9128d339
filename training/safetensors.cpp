#include "training/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "training/array_values.hpp"

namespace fovea {
namespace {

using Json = nlohmann::json;  // ordered_json copies what it holds for each key

constexpr std::uint64_t most_header = 100'000'000;  // as the library has it
constexpr std::uint64_t alignment = 8;

struct Place {
  std::string name;
  ElementType type = ElementType::f32;
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
                  values_of(data_.substr(place.begin, place.end - place.begin), place.type));
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
    Place place;
    place.name = name;
    std::string dtype;
    try {
      dtype = facts.at("dtype").get<std::string>();
      for (const Json& length : listed(facts, "shape")) place.shape.push_back(whole(length));
      const Json& offsets = listed(facts, "data_offsets");
      if (offsets.size() != 2) fail(name, "data_offsets are not two");
      place.begin = whole(offsets[0]);
      place.end = whole(offsets[1]);
    } catch (const Json::exception& error) {
      fail(name, error.what());
    }
    const std::optional<ElementType> type = type_of(dtype);
    if (!type) fail(name, "is of " + dtype + "; F64, F32, F16 and BF16 are read");
    place.type = *type;
    if (place.begin > place.end || place.end > data_.size())
      fail(name, join("lies at ", place.begin, " to ", place.end, " of ", data_.size(), " bytes"));
    const std::uint64_t bytes = place.end - place.begin, width = width_of(*type);
    const std::optional<std::uint64_t> count = volume_of(place.shape);
    if (!count || bytes % width != 0 || bytes / width != *count)
      fail(name, join("has ", bytes, " bytes, which its shape ", facts["shape"].dump(), " of ", dtype,
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
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
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
