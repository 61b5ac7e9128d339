#pragma once

#include <map>
#include <span>

#include "core/ids.hpp"
#include "core/tensor.hpp"
#include "examples/cities/places.hpp"
#include "examples/cities/query.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// What the model reads of n queries, or of n cities.
struct Inputs {
  Ids ngrams;                            // rows of the n-gram table, name by name
  std::vector<std::size_t> offsets{0};   // where each name's n-grams begin; n + 1 of them
  std::vector<std::optional<Point>> at;  // n
  Ids country;                           // [n]; 0: not known
  Tensor has_country;                    // [n, 1], ones and zeros
  Tensor extra;                          // [n, query_extras or key_extras], see below

  std::size_t size() const { return at.size(); }
};

/// Extra numbers of a query: whether coordinates are given, whether a country is.
inline constexpr std::size_t query_extras = 2;
/// Extra numbers of a key: (log10(population) - 4.8) / 0.6, height in kilometres, 1, whether the height is
/// known. What is not known is 0.
inline constexpr std::size_t key_extras = 4;

/// Turns cities and queries into numbers.
class Features {
 public:
  Features() = default;
  /// `rows` is the n-gram table's; `countries` are the codes that the model knows.
  Features(const Catalogue& cities, std::size_t rows, const std::vector<std::string>& countries);

  Inputs keys(std::span<const std::size_t> cities) const;
  Inputs queries(std::span<const Query> queries) const;
  /// 0 for a country that is not known.
  std::int64_t country_id(const std::string& code) const;

 private:
  struct Key {
    std::vector<std::int64_t> ngrams;
    std::optional<Point> at;
    std::int64_t country = 0;
    std::array<Real, key_extras> extra{};
  };
  std::size_t rows_ = 0;
  std::map<std::string, std::int64_t> countries_;
  std::vector<Key> keys_;
};

/// The countries of a catalogue, each once, in order.
std::vector<std::string> countries_of(const Catalogue& cities);

}  // namespace fovea::inline FOVEA_REAL::cities
