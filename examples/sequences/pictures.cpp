#include <algorithm>

#include <fmt/format.h>

#include "examples/chosen.hpp"
#include "examples/lines.hpp"
#include "examples/sequences/task.hpp"

// The pictures of a sequence model: what it looks at when it says each token of its answer.

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

constexpr std::size_t words_tried =
    400;  // of the part to test with: enough to find bad ones in a second or two

std::vector<double> flat(const Alignment& rows) {
  std::vector<double> all;
  for (const std::vector<double>& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

report::HeatMap heat_map(const Alignments& found, std::vector<std::string> said,
                         std::vector<std::string> read) {
  said.push_back("</s>");
  report::HeatMap map{"written", "read", std::move(said), std::move(read), {}};
  std::size_t heads = 0;
  for (const auto& [path, some] : found.heads) heads += some.size();
  if (heads > 1) map.heads.push_back({"mean of all", flat(found.mean)});
  for (const auto& [path, some] : found.heads)
    for (std::size_t h = 0; h < some.size(); ++h)
      map.heads.push_back({some.size() > 1 ? fmt::format("{}, head {}", path, h) : path, flat(some[h])});
  return map;
}

}  // namespace

std::vector<report::Picture> SequenceTask::pictures(const report::Wanted& wanted) const {
  struct Asked {
    std::string group, text;
    std::vector<std::string> tokens;
    std::vector<std::int64_t> source;
    const Word* word = nullptr;  // null for what was typed
  };
  std::vector<Asked> items;
  const BeamOptions options{.beam = config_.beam, .length_power = config_.length_power};
  if (wanted.items.empty()) {
    const Part& part = data_.test.words.empty() ? data_.validation : data_.test;
    const auto wrong = [&](std::span<const std::size_t> words) {
      std::vector<std::vector<std::int64_t>> sources;
      for (const std::size_t i : words) sources.push_back(part.words[i].source);
      const auto found = answers(model, sources, ratio_, {.beam = 1, .length_power = config_.length_power});
      std::vector<double> errors;
      for (std::size_t i = 0; i < words.size(); ++i) {
        ErrorRates rates;
        rates.add(found[i].front().tokens, part.words[words[i]].references);
        errors.push_back(rates.token_rate());
      }
      return errors;
    };
    for (const Chosen& one : choose(part.words.size(), words_tried, wanted, wrong)) {
      const Word& word = part.words[one.item];
      items.push_back({one.group, word.text, vocabularies_.source.decode(word.source), word.source, &word});
    }
  } else {
    for (const std::string& line : wanted.items) {
      check_asked(line, "--item is a source alone");
      std::vector<std::string> tokens = split_tokens(normalised(line), corpus_.kinds().source);
      std::vector<std::int64_t> source = vocabularies_.source.encode(tokens);
      items.push_back({"asked for", line, std::move(tokens), std::move(source)});
    }
  }
  std::vector<std::vector<std::int64_t>> sources;
  for (const Asked& item : items) sources.push_back(item.source);
  const auto found = answers(model, sources, ratio_, options);
  const auto text_of = [&](std::span<const std::int64_t> tokens) {
    return join_tokens(vocabularies_.target.decode(tokens), corpus_.kinds().target);
  };
  std::vector<report::Picture> pictures;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::vector<std::int64_t>& said = found[i].front().tokens;
    report::Picture picture{items[i].group, items[i].text, text_of(said), "", "", {}};
    if (const Word* word = items[i].word) {
      ErrorRates rates;
      rates.add(said, word->references);
      for (const auto& reference : word->references)
        picture.truth += (picture.truth.empty() ? "" : "  or  ") + text_of(reference);
      picture.note = fmt::format("{} of {} tokens wrong", rates.edits, rates.tokens);
    }
    picture.shown = heat_map(alignments(model, sources[i], said), vocabularies_.target.decode(said),
                             std::move(items[i].tokens));
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

}  // namespace fovea::inline FOVEA_REAL::sequences
