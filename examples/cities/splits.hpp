#pragma once

#include <unordered_set>
#include <vector>

#include "examples/cities/catalogue.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// A name under which a city is asked for.
struct Asked {
  std::size_t city = 0;
  Text name;
};

/// Which alternate names are learned from and which are kept for testing. A city is found by its searchable
/// name alone, so alternate names are all unknown to the catalogue; those that equal their own city's name
/// are left out, they would ask for what stands there.
///
/// The parts hang on hashes alone (`bucket` in text.hpp), so they stay what they are when the file grows:
/// a tenth of the cities are *unseen* (bucket("city " + key) % 20 < 2): no training query asks for them
/// and they are never even a wrong answer in training. Of the other cities' names a tenth are *unseen names*
/// (bucket("name " + name) % 20 < 2) and a twentieth are for validation (== 2), unless they are some city's
/// searchable name. Names of unseen cities are asked for when they are neither searchable nor learned. From
/// each part the first few in the order of bucket("test " + key + " " + name) are used.
struct Splits {
  std::vector<Asked> train, validation, unseen_names, unseen_cities;
  std::vector<bool> is_unseen;          // by city
  std::unordered_set<Text> searchable;  // every city's name
  std::unordered_set<Text> held_out;    // every name of the three parts that are not learned, used or not
  struct {
    std::size_t own_name = 0, searchable = 0;  // dropped: same as its city's name; some city's name
    std::size_t validation = 0, unseen_names = 0, unseen_cities = 0, cities = 0;  // before cutting
  } counts;
};

inline constexpr std::size_t validation_queries = 1000, test_queries = 2000;

Splits split(const Catalogue& cities);

}  // namespace fovea::inline FOVEA_REAL::cities
