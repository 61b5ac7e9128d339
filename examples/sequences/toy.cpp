#include "examples/sequences/toy.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/check.hpp"
#include "core/random.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

std::string draw(const ToySizes& sizes, Rng& rng) {
  std::string symbols(sizes.shortest + rng.below(sizes.longest - sizes.shortest + 1), 'a');
  for (char& symbol : symbols) symbol = static_cast<char>('a' + rng.below(sizes.symbols));
  return symbols;
}

/// How many sequences there are; as a double, which only loses what does not matter here.
double possible(const ToySizes& sizes) {
  double sum = 0;
  for (std::uint64_t length = sizes.shortest; length <= sizes.longest; ++length) {
    sum += std::pow(static_cast<double>(sizes.symbols), static_cast<double>(length));
  }
  return sum;
}

void check_sizes(const ToySizes& sizes) {
  check<ConfigError>(sizes.symbols >= 2 && sizes.symbols <= 26, "toy", sizes.symbols,
                     " symbols; from 2 to 26 can be had");
  check<ConfigError>(sizes.shortest >= 1 && sizes.shortest <= sizes.longest && sizes.longest <= 1000, "toy",
                     "lengths from ", sizes.shortest, " to ", sizes.longest,
                     "; they must rise and lie between 1 and 1000");
  // Drawing goes on until something new comes up, which is quick while half of all are still to be had.
  const double asked = static_cast<double>(sizes.train) + static_cast<double>(sizes.validation) +
                       static_cast<double>(sizes.test);
  constexpr double most_symbols = 1e8;
  check<ConfigError>(asked * static_cast<double>(sizes.longest) <= most_symbols, "toy", asked,
                     " sequences of up to ", sizes.longest, " symbols; at most ", most_symbols,
                     " symbols are made in all");
  check<ConfigError>(2 * asked <= possible(sizes), "toy", asked, " sequences are asked for and only ",
                     possible(sizes), " are possible, less than twice as many; ask for fewer or longer ones");
}

}  // namespace

std::string toy_target(Toy kind, std::string_view source) {
  std::string target(source);
  if (kind == Toy::reverse) std::reverse(target.begin(), target.end());
  if (kind == Toy::sort) std::sort(target.begin(), target.end());
  return target;
}

ToyPairs toy_pairs(Toy kind, const ToySizes& sizes, std::uint64_t seed) {
  check_sizes(sizes);
  ToyPairs pairs;
  std::unordered_set<std::string> seen;
  const auto fill = [&](std::vector<Pair>& part, std::uint64_t count, std::string_view name) {
    Rng rng = Rng(seed).split("toy").split(name);
    while (part.size() < count) {
      std::string source = draw(sizes, rng);
      if (!seen.insert(source).second) continue;
      std::string target = toy_target(kind, source);
      part.push_back({std::move(source), std::move(target), part.size() + 1});
    }
  };
  // Train comes last, so that its size changes nothing in the two others.
  fill(pairs.validation, sizes.validation, "validation");
  fill(pairs.test, sizes.test, "test");
  fill(pairs.train, sizes.train, "train");
  return pairs;
}

}  // namespace fovea::inline FOVEA_REAL::sequences
