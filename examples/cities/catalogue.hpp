#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "examples/cities/text.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// Degrees, north and east positive.
struct Coordinates {
  double latitude = 0, longitude = 0;
};

/// A place to be found. An empty text or optional is not known.
struct City {
  std::string id, name, country, timezone;
  std::optional<Coordinates> at;
  std::optional<double> population, height;  // height in metres
  Text text;                                 // the name, normalised: what is searched
  std::vector<Text> alternates;              // normalised, each once, none empty

  /// What the splits hash to tell this city from others.
  const std::string& key() const { return id.empty() ? name : id; }
};

/// The cities in the order of the file, which is also how ties are resolved.
using Catalogue = std::vector<City>;

/// Reads a catalogue; data/README.md has the columns. DataError `file:line:column: …` for what is malformed,
/// and for fewer than two cities.
Catalogue parse_catalogue(std::string_view text, const std::string& file);
/// The same from a file. DataError, with what to do, when it cannot be read.
Catalogue read_catalogue(const std::filesystem::path& file);

/// Latitude and longitude from text. DataError starting with `where` when they are no numbers or out of
/// range.
Coordinates parse_coordinates(std::string_view latitude, std::string_view longitude,
                              const std::string& where);

/// The file that comes with Fovea; see examples/bundled.hpp.
std::filesystem::path bundled_catalogue();

}  // namespace fovea::inline FOVEA_REAL::cities
