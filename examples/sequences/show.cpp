#include "examples/sequences/show.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "examples/sequences/vocabulary.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

constexpr double least_shown = 0.1;

std::string as_json(const Shown& shown) {
  nlohmann::ordered_json answers = nlohmann::ordered_json::array();
  for (const ShownAnswer& answer : shown.answers) {
    nlohmann::ordered_json one{{"text", answer.text},
                               {"tokens", answer.tokens},
                               {"log_probability", answer.log_probability},
                               {"score", answer.score}};
    if (answer.cut) one["cut"] = true;
    if (!answer.alignments.heads.empty()) {
      one["alignment"] = answer.alignments.mean;
      for (const auto& [path, heads] : answer.alignments.heads) one["attention"][path] = heads;
    }
    answers.push_back(std::move(one));
  }
  nlohmann::ordered_json object{{"source", shown.line}, {"source_tokens", shown.tokens}};
  if (const auto unknown = unknown_tokens(shown.tokens, shown.ids); !unknown.empty())
    object["unknown"] = unknown;
  object["answers"] = std::move(answers);
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string read_off(std::span<const double> weights, std::span<const std::string> tokens) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::string text;
  for (const std::size_t i : order) {
    if (weights[i] < least_shown && !text.empty()) break;
    text += fmt::format("{}{}[{}] {:.2f}", text.empty() ? "" : ", ", tokens[i], i + 1, weights[i]);
  }
  return text;
}

std::vector<std::string> unknown_tokens(std::span<const std::string> tokens,
                                        std::span<const std::int64_t> ids) {
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (ids[i] == Vocabulary::unknown) unknown.push_back(tokens[i]);
  return unknown;
}

std::string show(const Shown& shown, bool scores, bool json) {
  if (json) return as_json(shown);
  std::string text;
  for (const ShownAnswer& answer : shown.answers) {
    if (!text.empty()) text += '\n';
    text += shown.line + '\t' + answer.text;
    if (scores) text += fmt::format("\t{:.4f}", answer.score);
    for (std::size_t i = 0; i < answer.alignments.mean.size(); ++i) {
      const std::string token = i < answer.tokens.size() ? answer.tokens[i] : "</s>";
      text += fmt::format("\n  {:<6} {}", token, read_off(answer.alignments.mean[i], shown.tokens));
    }
  }
  return text;
}

}  // namespace fovea::inline FOVEA_REAL::sequences
