#include "examples/cities/splits.hpp"

#include <algorithm>

namespace fovea::inline FOVEA_REAL::cities {
namespace {

// The first `count` in an order that has nothing to do with the catalogue's.
void cut(std::vector<Asked>& part, const Catalogue& cities, std::size_t count) {
  std::vector<std::pair<std::uint32_t, std::size_t>> order;
  for (std::size_t i = 0; i < part.size(); ++i) {
    order.emplace_back(bucket("test " + cities[part[i].city].key() + " " + utf8(part[i].name)), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<Asked> first;
  for (std::size_t i = 0; i < std::min(count, part.size()); ++i)
    first.push_back(std::move(part[order[i].second]));
  part = std::move(first);
}

}  // namespace

Splits split(const Catalogue& cities) {
  Splits splits;
  for (const City& city : cities) {
    splits.searchable.insert(city.text);
    splits.is_unseen.push_back(bucket("city " + city.key()) % 20 < 2);
    splits.counts.cities += splits.is_unseen.back();
  }
  std::unordered_set<Text> learned;
  for (std::size_t i = 0; i < cities.size(); ++i) {
    for (const Text& name : cities[i].alternates) {
      if (name == cities[i].text) {
        ++splits.counts.own_name;
        continue;
      }
      if (splits.is_unseen[i]) continue;
      const std::uint32_t share = bucket("name " + utf8(name)) % 20;
      if (share > 2) {
        splits.train.push_back({i, name});
        learned.insert(name);
      } else if (splits.searchable.contains(name)) {
        ++splits.counts.searchable;
      } else {
        (share < 2 ? splits.unseen_names : splits.validation).push_back({i, name});
      }
    }
  }
  for (std::size_t i = 0; i < cities.size(); ++i) {
    if (!splits.is_unseen[i]) continue;
    for (const Text& name : cities[i].alternates) {
      if (!splits.searchable.contains(name) && !learned.contains(name))
        splits.unseen_cities.push_back({i, name});
    }
  }
  for (const auto* part : {&splits.validation, &splits.unseen_names, &splits.unseen_cities}) {
    for (const Asked& asked : *part) splits.held_out.insert(asked.name);
  }
  splits.counts.validation = splits.validation.size();
  splits.counts.unseen_names = splits.unseen_names.size();
  splits.counts.unseen_cities = splits.unseen_cities.size();
  cut(splits.validation, cities, validation_queries);
  cut(splits.unseen_names, cities, test_queries);
  cut(splits.unseen_cities, cities, test_queries);
  return splits;
}

}  // namespace fovea::inline FOVEA_REAL::cities
