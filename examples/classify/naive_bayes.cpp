#include "examples/classify/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/check.hpp"
#include "examples/sequences/vocabulary.hpp"

namespace fovea::inline FOVEA_REAL::classify {
namespace {

std::u32string marked(std::span<const std::int64_t> tokens) {
  std::u32string text(1, static_cast<char32_t>(sequences::Vocabulary::begin));
  for (const std::int64_t id : tokens) text += static_cast<char32_t>(id);
  return text + static_cast<char32_t>(sequences::Vocabulary::end);
}

// Calls `call(n-gram, where it begins)` for each one.
template <class Call>
void each_gram(const std::u32string& text, std::size_t order, const Call& call) {
  for (std::size_t n = 1; n <= order; ++n) {
    const std::size_t skipped = n == 1;  // a mark alone says nothing
    for (std::size_t at = skipped; at + n + skipped <= text.size(); ++at) call(text.substr(at, n), at);
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
    each_gram(marked(one.tokens), most, [&](std::u32string gram, std::size_t) {
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
  each_gram(marked(tokens), settings.order, [&](const std::u32string& gram, std::size_t) {
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

void NaiveBayes::evidence(std::span<const std::int64_t> tokens, const Settings& settings, const Labelled* own,
                          std::span<Real> to) const {
  const std::size_t order = settings.order;
  check<Error>(order >= 1 && order <= most_ && to.size() == tokens.size() * order * classes_, "naive bayes",
               "evidence of order ", order, " for ", tokens.size(), " tokens and ", classes_,
               " classes does not fit ", to.size(), " numbers");
  const double alpha = settings.smoothing;
  double kinds = 0;
  std::vector<double> totals(classes_);
  for (std::size_t n = 0; n < order; ++n) {
    kinds += kinds_[n];
    for (std::size_t c = 0; c < classes_; ++c) totals[c] += totals_[n][c];
  }
  const auto sum = [](const std::vector<Count>& counts) {
    return std::accumulate(counts.begin(), counts.end(), 0.0,
                           [](double before, const Count& count) { return before + count.times; });
  };
  std::unordered_map<std::u32string, double> left_out;
  if (own != nullptr) {
    each_gram(marked(own->tokens), order, [&](const std::u32string& gram, std::size_t) { ++left_out[gram]; });
    for (const auto& [gram, times] : left_out) {
      totals[own->label] -= times;
      kinds -= sum(counts_.at(gram)) == times;
    }
  }
  // What a class gets that has not seen an n-gram.
  std::vector<double> unseen(classes_);
  for (std::size_t c = 0; c < classes_; ++c) unseen[c] = -std::log(totals[c] + alpha * kinds);
  const double mean = std::accumulate(unseen.begin(), unseen.end(), 0.0) / static_cast<double>(classes_);
  each_gram(marked(tokens), order, [&](const std::u32string& gram, std::size_t begin) {
    const auto found = counts_.find(gram);
    if (found == counts_.end()) return;
    const auto less = left_out.find(gram);
    const double times_less = less == left_out.end() ? 0 : less->second;
    if (sum(found->second) == times_less) return;
    const std::size_t middle = std::clamp(begin + gram.size() / 2, std::size_t{1}, tokens.size()) - 1;
    Real* place = to.data() + (middle * order + gram.size() - 1) * classes_;
    double more = 0;
    for (const Count& count : found->second) {
      const double times =
          own != nullptr && count.label == own->label ? count.times - times_less : count.times;
      const double seen = std::log(times + alpha) - std::log(alpha);
      place[count.label] += static_cast<Real>(seen);
      more += seen / static_cast<double>(classes_);
    }
    for (std::size_t c = 0; c < classes_; ++c) place[c] += static_cast<Real>(unseen[c] - mean - more);
  });
}

Real NaiveBayes::log_share(std::size_t label) const {
  const double texts = std::accumulate(texts_.begin(), texts_.end(), 0.0);
  return static_cast<Real>(std::log(std::max(texts_[label], 1.0) / std::max(texts, 1.0)));
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

std::vector<std::uint64_t> NaiveBayes::flattened() const {
  std::vector<const Counts::value_type*> order;
  for (const auto& one : counts_) order.push_back(&one);
  // A map's own order depends on how it was filled; the same counts give the same file.
  std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->first < b->first; });
  std::vector<std::uint64_t> flat;
  for (const auto* one : order) {
    flat.push_back(one->first.size());
    flat.insert(flat.end(), one->first.begin(), one->first.end());
    flat.push_back(one->second.size());
    for (const Count& count : one->second) {
      flat.push_back(count.label);
      flat.push_back(static_cast<std::uint64_t>(count.times));
    }
  }
  return flat;
}

void NaiveBayes::restore(std::vector<double> texts, std::uint64_t most, std::span<const std::uint64_t> flat) {
  constexpr std::uint64_t longest_there_is = 64, most_times = std::uint64_t{1} << 53, most_ids = 1u << 31;
  const auto require = [](bool holds, std::string_view what) {
    check<CheckpointError>(holds, "naive bayes", "what was counted has ", what);
  };
  require(most <= longest_there_is, "n-grams that are too long");
  NaiveBayes read({}, texts.size(), most);
  const auto next = [&] {
    require(!flat.empty(), "an n-gram that is cut off");
    const std::uint64_t number = flat.front();
    flat = flat.subspan(1);
    return number;
  };
  while (!flat.empty()) {
    const std::uint64_t n = next();
    require(n >= 1 && n <= most, "an n-gram of a length that was not counted");
    std::u32string gram;
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t id = next();
      require(id < most_ids, "a token that is none");
      gram += static_cast<char32_t>(id);
    }
    std::vector<Count> counts;
    const std::uint64_t labels = next();
    require(labels >= 1 && labels <= texts.size(), "an n-gram with too few or too many classes");
    for (std::uint64_t i = 0; i < labels; ++i) {
      const std::uint64_t label = next(), times = next();
      require(label < texts.size() && times >= 1 && times < most_times, "an n-gram of a class that is none");
      counts.push_back({label, static_cast<double>(times)});
      read.totals_[n - 1][label] += static_cast<double>(times);
    }
    ++read.kinds_[n - 1];
    require(read.counts_.emplace(std::move(gram), std::move(counts)).second, "an n-gram twice");
  }
  read.texts_ = std::move(texts);
  *this = std::move(read);
}

}  // namespace fovea::inline FOVEA_REAL::classify
