#include "modules/attention/head_settings.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "modules/attention/settings.hpp"

namespace fovea {
namespace {

constexpr std::string_view here = "multi-head";

constexpr std::array all_scores = {HeadScore::dot, HeadScore::scaled_dot, HeadScore::additive,
                                   HeadScore::linear, HeadScore::random_features};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool is_dot(HeadScore score) { return score == HeadScore::dot || score == HeadScore::scaled_dot; }

// The first head whose score is not as it should be.
template <class Right>
const HeadScore* first_wrong(const std::vector<HeadScore>& scores, std::size_t end, Right right) {
  const auto found =
      std::find_if_not(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(end), right);
  return found == scores.begin() + static_cast<std::ptrdiff_t>(end) ? nullptr : &*found;
}

}  // namespace

const std::vector<std::string>& head_score_names() {
  static const std::vector<std::string> names{"dot", "scaled_dot", "additive", "linear", "random_features"};
  return names;
}

const std::string& name_of(HeadScore score) {
  return head_score_names()[static_cast<std::size_t>(std::ranges::find(all_scores, score) -
                                                     all_scores.begin())];
}

HeadScore head_score(const std::string& name) {
  const auto found = std::ranges::find(head_score_names(), name);
  const bool is_other = std::ranges::find(attention_names(), name) != attention_names().end();
  check<ConfigError>(
      found != head_score_names().end(), here, "heads have no score \"", name, "\"; known are ",
      listed(head_score_names()),
      is_other ? "; models that ask with one query at a time have that one, such as lstm" : "");
  return all_scores[static_cast<std::size_t>(found - head_score_names().begin())];
}

std::vector<HeadScore> head_scores(const std::string& names, std::size_t heads) {
  std::vector<HeadScore> scores;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::size_t first = std::min(names.find_first_not_of(' ', begin), end);
    const std::size_t last = std::min(names.find_first_of(' ', first), end);
    scores.push_back(head_score(names.substr(first, last - first)));
    begin = end + 1;
  }
  if (scores.size() == 1) scores.resize(heads, scores.front());
  check<ConfigError>(scores.size() == heads, here, scores.size(), " scores for ", heads, " heads (", names,
                     "); expected one for all, or one for each");
  return scores;
}

bool counts_heads(const HeadSettings& settings) {
  return settings.score.find(',') != std::string::npos || settings.pattern.heads > 0 ||
         settings.key_value_heads > 1;
}

void check_heads(const HeadSettings& s, std::size_t width, std::size_t heads) {
  check<ConfigError>(heads > 0 && width % heads == 0, here, "a width of ", width, " does not divide into ",
                     heads, " heads");
  check_pattern(s.pattern, heads);
  const std::vector<HeadScore> scores = head_scores(s.score, heads);
  const HeadScore* in_pattern = first_wrong(scores, s.pattern.heads_of(heads), has_weights);
  check<ConfigError>(
      !in_pattern, here, in_pattern ? name_of(*in_pattern) : "",
      " heads sum over all positions and can leave none out: a pattern is for others: name those "
      "first, and their number as --pattern-heads");
  check<ConfigError>(s.key_value_heads == 0 || (s.key_value_heads <= heads && heads % s.key_value_heads == 0),
                     here, heads, " heads do not share ", s.key_value_heads,
                     " heads of keys and values: expected a number that divides them");
  const auto is_exact = [&](const char* what) {
    const HeadScore* wrong = first_wrong(scores, heads, has_weights);
    check<ConfigError>(!wrong, here, what, " are for heads with weights, and ", wrong ? name_of(*wrong) : "",
                       " heads have none");
  };
  if (s.rotary) {
    const HeadScore* wrong = first_wrong(scores, heads, is_dot);
    check<ConfigError>(!wrong, here,
                       "rotary positions are for dot and scaled_dot, whose product of two turned vectors "
                       "knows their distance; ",
                       wrong ? name_of(*wrong) : "", " does not (take scaled_dot)");
    check<ConfigError>(width / heads % 2 == 0, here, "rotary positions turn pairs of a head's numbers; got ",
                       width / heads, " for each head, expected an even number");
  }
  if (s.rank > 0) {
    is_exact("ranks");
    check<ConfigError>(s.pattern.is_full() && s.buckets == 0 && !s.rotary, here,
                       "the slots of low-rank heads are mixtures of positions, so that a pattern, buckets or "
                       "rotary positions mean nothing for them");
    check<ConfigError>(s.rank <= s.longest, here, "a rank of ", s.rank, " for sequences of at most ",
                       s.longest, "; expected no more slots than positions");
  }
  if (s.buckets > 0) is_exact("buckets");
  check<ConfigError>(s.features == 0 || std::ranges::find(scores, HeadScore::random_features) != scores.end(),
                     here, "a number of features is for random_features heads, and there are none");
  check<ConfigError>(s.rounds == 1 || s.buckets > 0, here, s.rounds,
                     " hashes need buckets to put positions into");
}

HeadSettings scored_by(HeadSettings settings, const std::string& score) {
  if (settings.score.empty()) settings.score = score;
  return settings;
}

HeadSettings across(const HeadSettings& settings, std::size_t heads) {
  HeadSettings plain{.key_value_heads = settings.key_value_heads};
  const std::vector<HeadScore> scores = head_scores(settings.score, heads);
  plain.score.clear();
  for (const HeadScore score : scores) {
    plain.score +=
        (plain.score.empty() ? "" : ",") + name_of(has_weights(score) ? score : HeadScore::scaled_dot);
  }
  return plain;
}

}  // namespace fovea
