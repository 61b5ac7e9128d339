#include "modules/seq2seq/beam.hpp"

#include <algorithm>
#include <cmath>

#include "autograd/ops.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "beam search";

struct Begun {
  std::vector<std::int64_t> tokens;
  double log_probability = 0;
  std::size_t row = 0;  // of the decoding
};

struct Continuation {
  double log_probability;
  std::size_t from;  // which of the item's sequences
  std::int64_t token;
};

// Likelier first; equals in the order in which they stand, so that a beam of 1 is greedy.
bool likelier(const Continuation& a, const Continuation& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.from != b.from ? a.from < b.from : a.token < b.token;
}

// A sequence that has `most` tokens can only end.
std::vector<Continuation> likeliest(const std::vector<Begun>& begun, const Tensor& log_p, std::size_t count,
                                    std::size_t most, const BeamOptions& options) {
  const std::size_t classes = log_p.shape()[1];
  std::vector<Continuation> all;
  all.reserve(begun.size() * classes);
  for (std::size_t i = 0; i < begun.size(); ++i) {
    const Real* row = log_p.data() + begun[i].row * classes;
    for (std::size_t c = 0; c < classes; ++c) {
      const auto token = static_cast<std::int64_t>(c);
      check<Error>(!std::isnan(row[c]), here, "the model's logits are not numbers");
      const bool never = std::find(options.never.begin(), options.never.end(), token) != options.never.end();
      if (never || token == options.begin || (begun[i].tokens.size() == most && token != options.end))
        continue;
      all.push_back({begun[i].log_probability + static_cast<double>(row[c]), i, token});
    }
  }
  count = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), likelier);
  all.resize(count);
  return all;
}

Hypothesis finished(const Begun& begun, double log_probability, std::size_t most, double power) {
  const double length = static_cast<double>(begun.tokens.size() + 1);
  return {begun.tokens, log_probability, log_probability / std::pow(length, power),
          begun.tokens.size() == most};
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(Decoding& decoding, std::span<const std::size_t> most,
                                                 const BeamOptions& options) {
  check<ConfigError>(options.beam > 0, here, "the beam is 0; expected at least 1");
  const NoGrad no_graph;
  const std::size_t items = most.size();
  std::vector<std::vector<Hypothesis>> found(items);
  std::vector<std::vector<Begun>> alive(items);
  for (std::size_t i = 0; i < items; ++i) alive[i].push_back({{}, 0, i});
  std::vector<std::int64_t> last(items, options.begin);
  while (!last.empty()) {
    const Variable log_p = log_softmax(decoding.next(last), -1);
    std::vector<std::size_t> rows;
    last.clear();
    for (std::size_t i = 0; i < items; ++i) {
      std::vector<Begun> next;
      const std::size_t places = options.beam - std::min(options.beam, found[i].size());
      if (alive[i].empty() || places == 0) continue;
      for (const Continuation& one : likeliest(alive[i], log_p.value(), places, most[i], options)) {
        const Begun& from = alive[i][one.from];
        if (one.token == options.end) {
          found[i].push_back(finished(from, one.log_probability, most[i], options.length_power));
          continue;
        }
        next.push_back({from.tokens, one.log_probability, rows.size()});
        next.back().tokens.push_back(one.token);
        rows.push_back(from.row);
        last.push_back(one.token);
      }
      alive[i] = std::move(next);
    }
    if (!rows.empty()) decoding.select(rows);
  }
  for (std::vector<Hypothesis>& of_item : found) {
    std::stable_sort(of_item.begin(), of_item.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  }
  return found;
}

}  // namespace fovea::inline FOVEA_REAL
