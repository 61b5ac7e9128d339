#include <cmath>

#include "examples/chosen.hpp"
#include "examples/classify/task.hpp"
#include "examples/lines.hpp"
#include "training/text.hpp"

// The pictures of a classifier: a text, and how much each of its tokens counted.

namespace fovea::inline FOVEA_REAL::classify {
namespace {

constexpr std::size_t texts_tried = 2000, labels_shown = 5;

}  // namespace

std::vector<report::Picture> ClassifyTask::pictures(const report::Wanted& wanted) const {
  struct Asked {
    std::string group;
    std::vector<std::string> tokens;
    std::size_t label = no_class;
  };
  std::vector<Asked> asked;
  std::vector<Row> rows;
  if (wanted.items.empty()) {
    const std::vector<Labelled>& all = part(part(Split::test).empty() ? Split::validation : Split::test);
    const auto wrong = [&](std::span<const std::size_t> texts) {
      std::vector<Row> tried;
      for (const std::size_t text : texts) tried.push_back(all[text].tokens);
      const std::vector<Answer> said = answers(model, grams_, tried, evidence());
      std::vector<double> errors;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t label = all[texts[i]].label;
        errors.push_back(label == no_class ? 0 : -said[i].log_probabilities[label]);
      }
      return errors;
    };
    for (const Chosen& one : choose(all.size(), texts_tried, wanted, wrong)) {
      rows.push_back(all[one.item].tokens);
      asked.push_back({one.group, vocabularies_.source.decode(rows.back()), all[one.item].label});
    }
  } else {
    for (const std::string& line : wanted.items) {
      check_asked(line, "--item is a text alone");
      asked.push_back(
          {"asked for", sequences::split_tokens(normalised(line, config_.text_case()), config_.kind())});
      rows.push_back(vocabularies_.source.encode(asked.back().tokens));
    }
  }
  std::vector<Answer> said = answers(model, grams_, rows, evidence());
  std::vector<report::Picture> pictures;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Answer& answer = said[i];
    report::WeightedText shown{
        asked[i].tokens, std::move(answer.weights), std::move(answer.evidence), {}, false};
    shown.joined = config_.kind() == sequences::Tokens::letters;
    for (const std::size_t label : answer.best(labels_shown))
      shown.labels.emplace_back(label_of(vocabularies_.target, label),
                                std::exp(answer.log_probabilities[label]));
    const std::size_t label = asked[i].label;
    pictures.push_back({asked[i].group, sequences::join_tokens(asked[i].tokens, config_.kind()),
                        label_of(vocabularies_.target, answer.guess()),
                        label == no_class ? "" : label_of(vocabularies_.target, label),
                        label == no_class ? ""
                                          : join("probability of the right label ",
                                                 brief(std::exp(answer.log_probabilities[label]), 2)),
                        std::move(shown)});
  }
  return pictures;
}

}  // namespace fovea::inline FOVEA_REAL::classify
