#include "examples/sequences/answer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "examples/sequences/vocabulary.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

constexpr std::size_t rows_at_once = 512;  // of sources times beam

Variable along_queries(const std::vector<Observed>& calls, Variable Observed::*what) {
  if (!(calls.front().*what).defined()) return {};
  if (calls.size() == 1) return calls.front().*what;
  std::vector<Variable> parts;
  for (const Observed& call : calls) parts.push_back(call.*what);
  return concat(parts, 2);
}

}  // namespace

std::size_t most_tokens(std::size_t source, double ratio) {
  return static_cast<std::size_t>(std::ceil(ratio * static_cast<double>(source))) + 10;
}

std::vector<std::vector<Hypothesis>> answers(const Seq2Seq& model,
                                             std::span<const std::vector<std::int64_t>> sources, double ratio,
                                             const BeamOptions& options) {
  const NoGrad no_graph;
  std::vector<std::size_t> order(sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sources[a].size() < sources[b].size(); });
  const std::size_t at_once = std::max<std::size_t>(1, rows_at_once / std::max<std::size_t>(1, options.beam));
  std::vector<std::vector<Hypothesis>> found(sources.size());
  for (std::size_t begin = 0; begin < order.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, order.size() - begin);
    std::vector<std::vector<std::int64_t>> rows;
    std::vector<std::size_t> most;
    for (std::size_t i = begin; i < begin + count; ++i) {
      rows.push_back(sources[order[i]]);
      most.push_back(most_tokens(rows.back().size(), ratio));
    }
    Pass pass = Pass::evaluation();
    const Padded padded = pad(rows);
    const std::unique_ptr<Decoding> decoding = decode(model, padded, pass);
    BeamOptions sayable = options;
    sayable.never = {Vocabulary::padding, Vocabulary::unknown};  // no reader can use "some other token"
    auto some = beam_search(*decoding, most, sayable);
    for (std::size_t i = 0; i < count; ++i) found[order[begin + i]] = std::move(some[i]);
  }
  return found;
}

Attentions looks(const Seq2Seq& model, std::span<const std::int64_t> source,
                 std::span<const std::int64_t> target) {
  const NoGrad no_graph;
  const Item item{{source.begin(), source.end()}, {target.begin(), target.end()}};
  const Batch batch = make_batch(std::span(&item, 1));
  Observations seen({.weights = true});
  Pass pass{.observations = &seen};
  forward(model, batch.source, batch.inputs, pass);
  Attentions all = all_attentions(model, seen);
  std::erase_if(all, [](const auto& one) { return !one.second.weights.defined(); });  // of slots
  return all;
}

Alignments alignments(const Seq2Seq& model, std::span<const std::int64_t> source,
                      std::span<const std::int64_t> target) {
  const Alignment nothing(target.size() + 1, std::vector<double>(source.size()));
  Alignments result{{}, nothing};
  const Attentions found = attentions_to_source(looks(model, source, target));
  for (const auto& [path, one] : found) {
    const std::size_t heads = one.weights.shape()[1];  // of [1, heads, target + 1, source]
    const double share = 1 / static_cast<double>(heads * found.size());
    const Real* weight = one.weights.value().data();
    std::vector<Alignment>& of_heads = result.heads.emplace_back(path, std::vector<Alignment>{}).second;
    for (std::size_t head = 0; head < heads; ++head) {
      Alignment& rows = of_heads.emplace_back(nothing);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < source.size(); ++j) {
          rows[i][j] = static_cast<double>(*weight++);
          result.mean[i][j] += share * rows[i][j];
        }
      }
    }
  }
  return result;
}

Attentions all_attentions(const Seq2Seq& model, const Observations& seen) {
  const std::map<std::string, std::vector<Observed>> by_name = by_path(model, seen);
  std::map<const Probe*, const std::string*> paths;
  for (const auto& [path, calls] : by_name) paths[calls.front().at] = &path;
  Attentions found;
  walk(model, [&](const std::string&, const Probe& probe) {  // by name layer 10 would stand before layer 2
    const auto path = paths.find(&probe);
    if (path == paths.end()) return;
    const std::vector<Observed>& calls = by_name.at(*path->second);
    found.emplace_back(*path->second, Observed{&probe, along_queries(calls, &Observed::scores),
                                               along_queries(calls, &Observed::weights),
                                               along_queries(calls, &Observed::entropy)});
  });
  return found;
}

Attentions attentions_to_source(Attentions all) {
  std::erase_if(all, [](const auto& one) { return one.first.find("self_attention") != std::string::npos; });
  return all;
}

bool reads_source(std::string_view path) { return path.starts_with("encoder"); }

}  // namespace fovea::inline FOVEA_REAL::sequences
