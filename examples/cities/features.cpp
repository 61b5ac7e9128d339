#include "examples/cities/features.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

Inputs inputs_for(std::size_t count, std::size_t extras) {
  Inputs inputs;
  inputs.has_country = uninitialized({count, 1});
  inputs.extra = uninitialized({count, extras});
  inputs.country.shape = {count};
  return inputs;
}

void end_name(Inputs& inputs) { inputs.offsets.push_back(inputs.ngrams.values.size()); }

void add_country(Inputs& inputs, std::int64_t id) {
  inputs.has_country.data()[inputs.country.values.size()] = id ? 1 : 0;
  inputs.country.values.push_back(id);
}

std::array<Real, key_extras> extras_of(const City& city) {
  const double people = city.population ? (std::log10(std::max(*city.population, 1.0)) - 4.8) / 0.6 : 0;
  return {static_cast<Real>(people), static_cast<Real>(city.height.value_or(0) / 1000), 1,
          static_cast<Real>(city.height.has_value())};
}

}  // namespace

Features::Features(const Catalogue& cities, std::size_t rows, const std::vector<std::string>& countries)
    : rows_(rows), keys_(cities.size()) {
  for (const std::string& code : countries)
    countries_.emplace(code, static_cast<std::int64_t>(countries_.size() + 1));
  parallel_for(cities.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const City& city = cities[i];
      add_ngram_rows(city.text, rows, keys_[i].ngrams);
      if (city.at) keys_[i].at = on_sphere(*city.at);
      keys_[i].country = country_id(city.country);
      keys_[i].extra = extras_of(city);
    }
  });
}

Inputs Features::keys(std::span<const std::size_t> cities) const {
  Inputs inputs = inputs_for(cities.size(), key_extras);
  Real* extra = inputs.extra.data();
  for (const std::size_t city : cities) {
    const Key& key = keys_[city];
    inputs.ngrams.values.insert(inputs.ngrams.values.end(), key.ngrams.begin(), key.ngrams.end());
    end_name(inputs);
    inputs.at.push_back(key.at);
    add_country(inputs, key.country);
    extra = std::copy(key.extra.begin(), key.extra.end(), extra);
  }
  inputs.ngrams.shape = {inputs.ngrams.values.size()};
  return inputs;
}

Inputs Features::queries(std::span<const Query> queries) const {
  Inputs inputs = inputs_for(queries.size(), query_extras);
  Real* extra = inputs.extra.data();
  for (const Query& query : queries) {
    add_ngram_rows(query.name, rows_, inputs.ngrams.values);
    end_name(inputs);
    inputs.at.push_back(query.at ? std::optional(on_sphere(*query.at)) : std::nullopt);
    const std::int64_t country = country_id(query.country);
    add_country(inputs, country);
    *extra++ = query.at ? 1 : 0;
    *extra++ = country ? 1 : 0;
  }
  inputs.ngrams.shape = {inputs.ngrams.values.size()};
  return inputs;
}

std::int64_t Features::country_id(const std::string& code) const {
  const auto found = countries_.find(code);
  return found == countries_.end() ? 0 : found->second;
}

std::vector<std::string> countries_of(const Catalogue& cities) {
  std::set<std::string> codes;
  for (const City& city : cities) {
    if (!city.country.empty()) codes.insert(city.country);
  }
  return {codes.begin(), codes.end()};
}

}  // namespace fovea::inline FOVEA_REAL::cities
