#pragma once

#include "examples/cities/splits.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// The catalogue that comes with Fovea and its splits, read once for all tests.
struct Bundled {
  Catalogue cities = read_catalogue(bundled_catalogue());
  Splits splits = split(cities);
};
inline const Bundled& bundled() {
  static const Bundled data;
  return data;
}

/// Four cities with all that can be known or missing.
inline constexpr std::string_view four_cities =
    "id\tname\talternates\tlatitude\tlongitude\tcountry\tpopulation\theight\ttimezone\n"
    "1\tWien\tVienna|Viedeň|wien|Beč\t48.2\t16.37\tAT\t1691468\t171\tEurope/Vienna\n"
    "2\tGraz\tGratz|Štajerski Gradec\t47.07\t15.44\tAT\t222326\t\tEurope/Vienna\n"
    "3\tWiener Neustadt\t\t\t\tAT\t\t265\t\n"
    "4\tWien\tKlein-Wien\t10\t170\t\t100\t\t\n";

}  // namespace fovea::inline FOVEA_REAL::cities
