#include "examples/cities/catalogue.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "core/parallel.hpp"
#include "examples/bundled.hpp"
#include "examples/delimited.hpp"
#include "training/file.hpp"
#include "training/text.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

constexpr std::size_t longest_name = 1000;  // bytes; a longer one is a broken file

// `text` as a finite number; what is wrong with it otherwise.
double number(std::string_view text, std::string_view what, double lowest, double highest,
              const char*& wrong) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  wrong = nullptr;
  if (error == std::errc::result_out_of_range) {
    wrong = "is too large or too small for a number";
  } else if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    wrong = "is not a number";
  } else if (value < lowest || value > highest) {
    wrong = what == "latitude"    ? "lies outside -90 … 90"
            : what == "longitude" ? "lies outside -180 … 180"
                                  : "is out of range";
  }
  return value;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file)
      : tsv_(text, file),
        id_(tsv_.find("id")),
        alternates_(tsv_.find("alternates")),
        latitude_(tsv_.find("latitude")),
        longitude_(tsv_.find("longitude")),
        country_(tsv_.find("country")),
        population_(tsv_.find("population")),
        height_(tsv_.find("height")),
        timezone_(tsv_.find("timezone")) {
    const auto name = tsv_.find("name");
    if (!name) tsv_.fail(tsv_.line(), "there is no column \"name\" among ", list(tsv_.columns()));
    if (latitude_.has_value() != longitude_.has_value()) {
      tsv_.fail(tsv_.line(), "there is a column \"", latitude_ ? "latitude" : "longitude", "\" but no \"",
                latitude_ ? "longitude" : "latitude", "\"");
    }
    name_ = *name;
  }

  Catalogue read() {
    Catalogue cities;
    while (tsv_.next()) cities.push_back(city());
    if (cities.size() < 2) {
      tsv_.fail(tsv_.line(), "the catalogue has ", cities.size(), cities.size() == 1 ? " city" : " cities",
                "; at least 2 are needed");
    }
    // Folding names is most of the work.
    parallel_for(cities.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        cities[i].text = normalise(cities[i].name);
        cities[i].alternates = alternates(raw_alternates_[i]);
      }
    });
    return cities;
  }

 private:
  City city() {
    City city;
    city.name = limited(tsv_.field(name_));
    if (city.name.empty()) tsv_.fail(tsv_.field(name_), "the name is empty");
    city.id = text(id_);
    if (!city.id.empty()) {
      const auto [before, fresh] = lines_.emplace(city.id, tsv_.line());
      if (!fresh)
        tsv_.fail(tsv_.field(*id_), "the id ", city.id, " was given before, at ", tsv_.place(before->second));
    }
    city.country = text(country_);
    city.timezone = text(timezone_);
    city.at = coordinates();
    city.population = optional_number(population_, "population", 0, 1e12);
    city.height = optional_number(height_, "height", -12000, 12000);
    raw_alternates_.push_back(alternates_ ? tsv_.field(*alternates_) : std::string_view());
    for_each_alternate(raw_alternates_.back(), [&](std::string_view name) { limited(name); });
    return city;
  }

  std::string_view limited(std::string_view name) const {
    if (name.size() > longest_name) {
      tsv_.fail(name, "the name is ", name.size(), " bytes long; at most ", longest_name, " are allowed");
    }
    return name;
  }

  std::string text(std::optional<std::size_t> column) const {
    return std::string(column ? tsv_.field(*column) : std::string_view());
  }

  std::optional<double> optional_number(std::optional<std::size_t> column, std::string_view what,
                                        double lowest, double highest) const {
    if (!column || tsv_.field(*column).empty()) return std::nullopt;
    const char* wrong = nullptr;
    const std::string_view field = tsv_.field(*column);
    const double value = number(field, what, lowest, highest, wrong);
    if (wrong) tsv_.fail(field, "the ", what, " \"", brief_text(field), "\" ", wrong);
    return value;
  }

  std::optional<Coordinates> coordinates() const {
    const auto latitude = optional_number(latitude_, "latitude", -90, 90);
    const auto longitude = optional_number(longitude_, "longitude", -180, 180);
    if (latitude.has_value() != longitude.has_value()) {
      tsv_.fail(tsv_.field(latitude ? *longitude_ : *latitude_), "the ", latitude ? "longitude" : "latitude",
                " is empty, but the ", latitude ? "latitude" : "longitude", " is given");
    }
    if (!latitude) return std::nullopt;
    return Coordinates{*latitude, *longitude};
  }

  static std::string brief_text(std::string_view field) {
    return field.size() <= 40 ? std::string(field) : std::string(field.substr(0, 40)) + "…";
  }

  template <class Call>
  static void for_each_alternate(std::string_view field, const Call& call) {
    while (!field.empty()) {
      const std::size_t bar = field.find('|');
      call(field.substr(0, bar));
      field.remove_prefix(bar == std::string_view::npos ? field.size() : bar + 1);
    }
  }

  static std::vector<Text> alternates(std::string_view field) {
    std::vector<Text> result;
    std::unordered_set<Text> seen;
    for_each_alternate(field, [&](std::string_view name) {
      Text folded = normalise(name);
      if (!folded.empty() && seen.insert(folded).second) result.push_back(std::move(folded));
    });
    return result;
  }

  Delimited tsv_;
  std::size_t name_ = 0;
  std::optional<std::size_t> id_, alternates_, latitude_, longitude_, country_, population_, height_,
      timezone_;
  std::unordered_map<std::string, std::string_view> lines_;  // id → its row
  std::vector<std::string_view> raw_alternates_;
};

}  // namespace

Catalogue parse_catalogue(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

Catalogue read_catalogue(const std::filesystem::path& file) {
  std::string text;
  try {
    text = read_file(file);
  } catch (const Error& error) {
    throw DataError(join(error.what(),
                         "; name a catalogue with --data FILE, or the folder of examples with the "
                         "environment variable FOVEA_EXAMPLES"));
  }
  return parse_catalogue(text, file.string());
}

Coordinates parse_coordinates(std::string_view latitude, std::string_view longitude,
                              const std::string& where) {
  const char* wrong = nullptr;
  Coordinates at;
  at.latitude = number(latitude, "latitude", -90, 90, wrong);
  if (wrong) throw DataError(join(where, "the latitude \"", latitude, "\" ", wrong));
  at.longitude = number(longitude, "longitude", -180, 180, wrong);
  if (wrong) throw DataError(join(where, "the longitude \"", longitude, "\" ", wrong));
  return at;
}

std::filesystem::path bundled_catalogue() { return bundled("cities/data/cities.tsv"); }

}  // namespace fovea::inline FOVEA_REAL::cities
