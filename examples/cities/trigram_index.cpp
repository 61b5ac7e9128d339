#include "examples/cities/trigram_index.hpp"

#include <algorithm>

namespace fovea::inline FOVEA_REAL::cities {

TrigramIndex::TrigramIndex(const Catalogue& cities) {
  for (std::size_t city = 0; city < cities.size(); ++city) {
    const auto found = trigrams(cities[city].text);
    counts_.push_back(static_cast<std::uint32_t>(found.size()));
    for (const std::uint64_t trigram : found)
      postings_.push_back({trigram, static_cast<std::uint32_t>(city)});
  }
  std::sort(postings_.begin(), postings_.end());
}

template <class Each>
std::size_t TrigramIndex::for_each_shared(const Text& name, const Each& each) const {
  const auto wanted = trigrams(name);
  auto posting = postings_.begin();
  for (const std::uint64_t trigram : wanted) {
    posting = std::lower_bound(posting, postings_.end(), Posting{trigram, 0});
    for (; posting != postings_.end() && posting->trigram == trigram; ++posting) each(posting->city);
  }
  return wanted.size();
}

std::vector<double> TrigramIndex::similarities(const Text& name) const {
  std::vector<std::uint16_t> shared(counts_.size());
  const std::size_t wanted = for_each_shared(name, [&](std::uint32_t city) { ++shared[city]; });
  std::vector<double> result(counts_.size());
  for (std::size_t city = 0; city < result.size(); ++city) {
    if (shared[city])
      result[city] =
          static_cast<double>(shared[city]) / static_cast<double>(wanted + counts_[city] - shared[city]);
  }
  return result;
}

std::vector<std::size_t> TrigramIndex::most_similar(const Text& name, std::size_t count,
                                                    std::size_t except) const {
  std::vector<std::uint16_t> shared(counts_.size());
  std::vector<std::uint32_t> touched;
  const std::size_t wanted = for_each_shared(name, [&](std::uint32_t city) {
    if (shared[city]++ == 0 && city != except) touched.push_back(city);
  });
  std::vector<std::pair<double, std::size_t>> order;  // dissimilar last; then by the catalogue
  for (const std::uint32_t city : touched) {
    order.emplace_back(
        -static_cast<double>(shared[city]) / static_cast<double>(wanted + counts_[city] - shared[city]),
        city);
  }
  const std::size_t found = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(found), order.end());
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < found; ++i) result.push_back(order[i].second);
  return result;
}

}  // namespace fovea::inline FOVEA_REAL::cities
