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
    std::vector<Labelled> some;
    std::vector<Row> tried;
    for (const std::size_t text : spread(all.size(), texts_tried)) {
      some.push_back(all[text]);
      tried.push_back(all[text].tokens);
    }
    std::vector<double> errors;
    const std::vector<Answer> said = answers(model, grams_, tried, evidence());
    for (std::size_t i = 0; i < some.size(); ++i)
      errors.push_back(some[i].label == no_class ? 0 : -said[i].log_probabilities[some[i].label]);
    for (const Chosen& one : choose(errors, wanted)) {
      rows.push_back(some[one.item].tokens);
      asked.push_back({one.group, vocabularies_.source.decode(rows.back()), some[one.item].label});
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
