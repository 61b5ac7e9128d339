#include "examples/classify/show.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "examples/sequences/show.hpp"

namespace fovea::inline FOVEA_REAL::classify {
namespace {

constexpr std::size_t explained = 3, classes_shown = 10, mistakes_shown = 3, keywords_shown = 6;

double probability(const Answer& answer, std::size_t label) {
  return std::exp(answer.log_probabilities[label]);
}

std::string as_json(const Shown& shown, const sequences::Vocabulary& labels,
                    const std::vector<std::size_t>& best, bool explain) {
  nlohmann::ordered_json object{{"text", shown.line},
                                {"label", label_of(labels, best.front())},
                                {"probability", probability(shown.answer, best.front())}};
  nlohmann::ordered_json answers = nlohmann::ordered_json::array();
  for (const std::size_t label : best)
    answers.push_back(
        {{"label", label_of(labels, label)}, {"probability", probability(shown.answer, label)}});
  object["answers"] = std::move(answers);
  if (const auto unknown = sequences::unknown_tokens(shown.tokens, shown.ids); !unknown.empty())
    object["unknown"] = unknown;
  if (explain) {
    object["tokens"] = shown.tokens;
    object["weights"] = shown.answer.weights;
    object["entropy"] = shown.answer.entropy;
    if (!shown.answer.evidence.empty()) object["evidence"] = shown.answer.evidence;
  }
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string row(const std::string& label, const Confusion& confusion) {
  return fmt::format("{:<40}{:9.1f}{:10.1f}\n", label, confusion.accuracy(), confusion.macro_f1());
}

// For whom a class is taken, most often first.
std::string mistakes(const Confusion& confusion, std::size_t truth, const sequences::Vocabulary& labels) {
  std::vector<std::size_t> others;
  for (std::size_t c = 0; c < confusion.classes(); ++c)
    if (c != truth && confusion.at(truth, c) > 0) others.push_back(c);
  std::stable_sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) {
    return confusion.at(truth, a) > confusion.at(truth, b);
  });
  if (others.size() > mistakes_shown) others.resize(mistakes_shown);
  std::string text;
  for (const std::size_t c : others)
    text += fmt::format(
        "{}{} {:.1f}", text.empty() ? "" : ", ", label_of(labels, c),
        100 * static_cast<double>(confusion.at(truth, c)) / static_cast<double>(confusion.size(truth)));
  return text.empty() ? "none" : text;
}

}  // namespace

const std::string& label_of(const sequences::Vocabulary& labels, std::size_t label) {
  return labels.token(static_cast<std::int64_t>(sequences::Vocabulary::special + label));
}

std::string show(const Shown& shown, const sequences::Vocabulary& labels, const ShowOptions& options) {
  const std::size_t at_least = options.explain && options.json ? explained : 1;
  const std::vector<std::size_t> best = shown.answer.best(std::max(options.n_best, at_least));
  if (options.json) return as_json(shown, labels, best, options.explain);
  std::string text;
  for (const std::size_t label : best)
    text += fmt::format("{}{}\t{}\t{:.4f}", text.empty() ? "" : "\n", shown.line, label_of(labels, label),
                        probability(shown.answer, label));
  if (!options.explain) return text;
  text += "\n  looked at  " + sequences::read_off(shown.answer.weights, shown.tokens);
  if (!shown.answer.evidence.empty())
    text += "\n  speaks for it  " + sequences::read_off(shown.answer.evidence, shown.tokens);
  text += "\n  likeliest  ";
  for (const std::size_t label : shown.answer.best(explained))
    text += fmt::format("{}{} {:.2f}", text.ends_with(' ') ? "" : ", ", label_of(labels, label),
                        probability(shown.answer, label));
  return text;
}

std::string report(const Analysis& analysis, const sequences::Vocabulary& labels, const std::string& name) {
  std::string text = fmt::format("{:<40}{:>9}{:>10}\n", "per cent", "accuracy", "macro-F1");
  if (const auto& baselines = analysis.baselines) {
    text += row("always " + label_of(labels, 0), baselines->majority);
    text += row(fmt::format("naive Bayes, 1- to {}-grams, α = {}", baselines->settings.order,
                            baselines->settings.smoothing),
                baselines->naive_bayes);
  }
  text += row(name + " (this model)", analysis.model);
  const std::vector<std::size_t> largest = analysis.model.largest(classes_shown);
  std::size_t width = 5;
  for (const std::size_t c : largest) width = std::max(width, label_of(labels, c).size());
  text +=
      fmt::format("\n{:<{}}{:>7}{:>7}  taken for (per cent of its texts)\n", "class", width, "texts", "F1");
  for (const std::size_t c : largest)
    text += fmt::format("{:<{}}{:7}{:7.1f}  {}\n", label_of(labels, c), width, analysis.model.size(c),
                        analysis.model.f1(c), mistakes(analysis.model, c, labels));
  text += fmt::format("\n{:<{}}  looked at where it was recognised (mean weight in a text of the class)\n",
                      "class", width);
  for (const std::size_t c : largest) {
    std::string words;
    for (const Keywords::Keyword& one : analysis.keywords.best(c, keywords_shown))
      words += fmt::format("{}{} {:.3f}", words.empty() ? "" : ", ", one.text, one.weight);
    text += fmt::format("{:<{}}  {}\n", label_of(labels, c), width, words);
  }
  return text;
}

}  // namespace fovea::inline FOVEA_REAL::classify
