#include "examples/classify/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "examples/sequences/vocabulary.hpp"

namespace fovea::inline FOVEA_REAL::classify {
namespace {

std::u32string marked(std::span<const std::int64_t> tokens) {
  std::u32string text(1, static_cast<char32_t>(sequences::Vocabulary::begin));
  for (const std::int64_t id : tokens) text += static_cast<char32_t>(id);
  return text + static_cast<char32_t>(sequences::Vocabulary::end);
}

// Calls `call(n-gram)` for each one.
template <class Call>
void each_gram(const std::u32string& text, std::size_t order, const Call& call) {
  for (std::size_t n = 1; n <= order; ++n) {
    const std::size_t skipped = n == 1;  // a mark alone says nothing
    for (std::size_t at = skipped; at + n + skipped <= text.size(); ++at) call(text.substr(at, n));
  }
}

}  // namespace

NaiveBayes::NaiveBayes(std::span<const Labelled> texts, std::size_t classes, std::size_t most)
    : classes_(classes),
      most_(most),
      texts_(classes),
      totals_(most, std::vector<double>(classes)),
      kinds_(most) {
  for (const Labelled& one : texts) {
    check<Error>(one.label < classes, "naive bayes", "a text has the class ", one.label, " of ", classes);
    ++texts_[one.label];
    each_gram(marked(one.tokens), most, [&](std::u32string gram) {
      const std::size_t n = gram.size();
      const auto [found, is_new] = counts_.try_emplace(std::move(gram));
      kinds_[n - 1] += is_new;
      ++totals_[n - 1][one.label];
      auto& counts = found->second;
      const auto own = std::find_if(counts.begin(), counts.end(),
                                    [&](const Count& count) { return count.label == one.label; });
      if (own == counts.end()) {
        counts.push_back({one.label, 1});
      } else {
        ++own->times;
      }
    });
  }
}

std::vector<double> NaiveBayes::scores(std::span<const std::int64_t> tokens, const Settings& settings) const {
  check<Error>(settings.order >= 1 && settings.order <= most_, "naive bayes", "order ", settings.order,
               " where 1 … ", most_, " were counted");
  const double alpha = settings.smoothing;
  std::vector<double> scores(classes_);
  double known = 0;
  each_gram(marked(tokens), settings.order, [&](const std::u32string& gram) {
    const auto found = counts_.find(gram);
    if (found == counts_.end()) return;
    ++known;
    // Most classes have not seen it: what they get is the same for each, and added once below.
    for (const Count& count : found->second)
      scores[count.label] += std::log(count.times + alpha) - std::log(alpha);
  });
  double texts = 0, kinds = 0;
  for (const double count : texts_) texts += count;
  for (std::size_t n = 0; n < settings.order; ++n) kinds += kinds_[n];
  for (std::size_t c = 0; c < classes_; ++c) {
    double total = 0;
    for (std::size_t n = 0; n < settings.order; ++n) total += totals_[n][c];
    scores[c] += known * (std::log(alpha) - std::log(total + alpha * kinds));
    scores[c] =
        texts_[c] > 0 ? scores[c] + std::log(texts_[c] / texts) : -std::numeric_limits<double>::infinity();
  }
  return scores;
}

std::size_t NaiveBayes::guess(std::span<const std::int64_t> tokens, const Settings& settings) const {
  const std::vector<double> all = scores(tokens, settings);
  return static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin());
}

NaiveBayes::Settings NaiveBayes::choose(std::span<const Labelled> texts) const {
  Settings best;
  std::size_t most_right = 0;
  bool is_first = true;
  for (std::size_t order = 1; order <= most_; ++order) {
    for (const double smoothing : {0.01, 0.03, 0.1, 0.3, 1.0}) {
      const Settings settings{order, smoothing};
      std::size_t right = 0;
      for (const Labelled& one : texts) right += guess(one.tokens, settings) == one.label;
      if (!is_first && right <= most_right) continue;
      is_first = false;
      best = settings;
      most_right = right;
    }
  }
  return best;
}

}  // namespace fovea::inline FOVEA_REAL::classify
