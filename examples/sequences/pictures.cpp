#include <algorithm>

#include <fmt/format.h>

#include "examples/chosen.hpp"
#include "examples/lines.hpp"
#include "examples/sequences/task.hpp"
#include "report/room.hpp"

// The pictures of a sequence model: what it looks at when it says each token of its answer.

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

constexpr std::size_t words_tried =
    400;  // of the part to test with: enough to find bad ones in a second or two

// The maps of these attentions, which look from the same rows at the same columns.
report::HeatMap heat_map(const Attentions& found, report::HeatMap map) {
  const std::size_t cells = map.rows.size() * map.columns.size();
  std::size_t heads = 0;
  for (const auto& [path, one] : found) heads += one.weights.shape()[1];  // of [1, heads, rows, columns]
  report::HeatMap::Head mean{"mean of all", std::vector<double>(cells)};
  for (const auto& [path, one] : found) {
    const std::size_t own = one.weights.shape()[1];
    const Real* weight = one.weights.value().data();
    for (std::size_t h = 0; h < own; ++h, weight += cells) {
      map.heads.push_back({own > 1 ? fmt::format("{}, head {}", path, h) : path, {weight, weight + cells}});
      for (std::size_t i = 0; i < cells; ++i)
        mean.weights[i] += static_cast<double>(weight[i]) / static_cast<double>(heads);
    }
  }
  if (heads > 1) map.heads.insert(map.heads.begin(), std::move(mean));
  return map;
}

report::HeatMaps heat_maps(const Attentions& all, const std::vector<std::string>& said,
                           const std::vector<std::string>& read) {
  std::vector<std::string> written = said, before{"<s>"};
  written.push_back("</s>");
  before.insert(before.end(), said.begin(), said.end());
  const Attentions to_source = attentions_to_source(all);
  Attentions within_source, within_target;
  for (const auto& one : all) {
    const bool is_to_source = std::any_of(to_source.begin(), to_source.end(),
                                          [&](const auto& other) { return other.first == one.first; });
    if (!is_to_source) (reads_source(one.first) ? within_source : within_target).push_back(one);
  }
  report::HeatMaps maps;
  const auto add = [&](const Attentions& some, report::HeatMap map) {
    if (!some.empty()) maps.push_back(heat_map(some, std::move(map)));
  };
  add(to_source, {"written", "read", written, read, {}});
  add(within_source, {"read", "read", read, read, {}});
  add(within_target, {"written", "written before", written, before, {}});
  return maps;
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
      check_asked_length(source.size());
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
    picture.shown =
        heat_maps(looks(model, sources[i], said), vocabularies_.target.decode(said), items[i].tokens);
    // Of long pairs the heads of all items together would not fit into memory.
    report::leave_out_heads(std::span(&picture, 1), wanted.weights / items.size());
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

}  // namespace fovea::inline FOVEA_REAL::sequences
