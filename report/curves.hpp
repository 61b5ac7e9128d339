#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::report {

/// A number over the steps of training. What is not finite leaves a gap.
struct Curve {
  std::string name;
  std::vector<double> x, y;
  std::size_t look = 0;  // which line it is drawn with: the same run has the same one in every chart
};

/// Curves of one kind over the same steps.
struct Chart {
  std::string title, unit;  // `unit` may be empty
  std::vector<Curve> curves;
  bool folded = false;  // a detail, which a page shows when it is asked for
};

/// What a run's folder tells of it.
struct RunRecord {
  std::string name;  // of the folder, by itself
  std::string task, command;
  std::vector<std::pair<std::string, std::string>> facts;    // when, how long, on what
  std::vector<std::pair<std::string, std::string>> results;  // what was measured at its end
  std::string results_of;                                    // `test split, 2000 items`; empty: not yet
  std::string config;                                        // config.toml
  std::size_t rows = 0;                                      // of metrics.jsonl
  std::vector<Curve> metrics;                                // its columns but `step`
  std::vector<Curve> watched;  // of watch.jsonl: `gradient`, and `evenness` and `saturated` of each head
};

/// What a metric of this name is measured in: `%`, `nats`, or nothing where that is not known.
std::string unit_of(std::string_view metric);

/// Reads a run's folder, also while it is being trained. A last line that a crash has cut off is left out.
/// ConfigError when the folder is none of a run's; DataError `file:line: …` for what cannot be read.
RunRecord read_run(const std::filesystem::path& folder);

/// Names for runs of these folders: each folder's own, with parents before it until those of different
/// folders differ
/// (`a/seed=1`, `b/seed=1`).
std::vector<std::string> names_apart(std::span<const std::filesystem::path> folders);

/// The charts of one or several runs: loss, learning rate, gradient norm, metrics, then what each attention
/// does. Of one run, metrics whose names start alike (`mae.a`, `mae.b`) share a chart, and so do the heads of
/// an attention
/// (`entropy.PATH.0`, `entropy.PATH.1`). Of several, each has its own, with a curve for each run: the mean
/// over an attention's heads, and each head in a chart that is folded. Where more than six attentions were
/// watched, so are the charts of that. A curve's look is its run's number, or, of one run, its place in the
/// chart.
std::vector<Chart> charts(std::span<const RunRecord> runs);

/// At most four points for each of `columns` equal parts of the steps: the first, the least, the greatest and
/// the last. What a picture of that many pixels across shows is not changed.
Curve thinned(const Curve& curve, std::size_t columns);

}  // namespace fovea::report
