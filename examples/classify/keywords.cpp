#include "examples/classify/keywords.hpp"

#include <algorithm>

namespace fovea::inline FOVEA_REAL::classify {

void Keywords::add(std::size_t label, std::span<const std::string> tokens, std::span<const double> weights) {
  ++texts_[label];
  std::map<std::string, double> found;
  if (kind_ != sequences::Tokens::letters) {
    for (std::size_t i = 0; i < tokens.size(); ++i) found[tokens[i]] += weights[i];
  } else {
    std::vector<std::string> marked{"^"};
    marked.insert(marked.end(), tokens.begin(), tokens.end());
    marked.push_back("$");
    std::vector<double> own{0};
    own.insert(own.end(), weights.begin(), weights.end());
    own.push_back(0);
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i + 3 <= marked.size(); ++i) {
      const double weight = own[i] + own[i + 1] + own[i + 2];
      if (weight <= most) continue;
      most = weight;
      best = i;
    }
    found[marked[best] + marked[best + 1] + marked[best + 2]] = most;
  }
  for (const auto& [text, weight] : found) {
    Sum& sum = sums_[label][text];
    sum.weight += weight;
    ++sum.texts;
  }
}

std::vector<Keywords::Keyword> Keywords::best(std::size_t label, std::size_t most) const {
  std::vector<Keyword> all;
  for (const auto& [text, sum] : sums_[label])
    if (sum.texts > 1) all.push_back({text, sum.weight / static_cast<double>(texts_[label])});
  std::stable_sort(all.begin(), all.end(),
                   [](const Keyword& a, const Keyword& b) { return a.weight > b.weight; });
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace fovea::inline FOVEA_REAL::classify
