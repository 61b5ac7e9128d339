#include "report/curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fovea::report {
namespace {

// Charts by title in the order in which the titles come up.
class Charts {
 public:
  void add(const std::string& title, const std::string& unit, Curve curve) {
    const auto [at, is_new] = places_.emplace(title, all.size());
    if (is_new) all.push_back({title, unit, {}});
    all[at->second].curves.push_back(std::move(curve));
  }
  std::vector<Chart> all;

 private:
  std::map<std::string, std::size_t> places_;
};

bool is_metric(const std::string& name) {
  return name != "loss" && name != "lr" && name != "seconds" && name != "epoch";
}

}  // namespace

std::string unit_of(std::string_view name) {
  // The metrics of the examples: the files of a run name no units.
  constexpr std::string_view percentages[] = {"accuracy", "macro_f1", "top1",     "top5",
                                              "mrr",      "wer",      "per",      "ser",
                                              "ter",      "coverage", "diagonal", "unknown"};
  const std::string_view last = name.substr(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
  if (std::find(std::begin(percentages), std::end(percentages), last) != std::end(percentages)) return "%";
  if (name == "entropy" || name.starts_with("entropy.") || last == "nll") return "nats";
  return "";
}

std::vector<Chart> charts(std::span<const RunRecord> runs) {
  Charts all;
  const bool alone = runs.size() == 1;
  const auto add = [&](const RunRecord& run, const Curve& curve, const std::string& title,
                       const std::string& unit, const std::string& name) {
    all.add(title, unit, {alone ? name : run.name, curve.x, curve.y});
  };
  const auto add_named = [&](const char* column, const char* title) {
    for (const RunRecord& run : runs)
      for (const Curve& curve : run.metrics)
        if (curve.name == column) add(run, curve, title, "", column);
  };
  add_named("loss", "training loss");
  for (const RunRecord& run : runs) {
    for (const Curve& curve : run.metrics) {
      if (!is_metric(curve.name)) continue;
      const std::size_t dot = curve.name.find('.');
      if (!alone || dot == curve.name.npos) {
        add(run, curve, curve.name, unit_of(curve.name), curve.name);
        continue;
      }
      // `mae.a` may be of another scale than `mae` itself.
      const std::string prefix = curve.name.substr(0, dot);
      const bool is_taken = std::any_of(run.metrics.begin(), run.metrics.end(),
                                        [&](const Curve& other) { return other.name == prefix; });
      add(run, curve, is_taken ? prefix + " of each" : prefix, unit_of(curve.name),
          curve.name.substr(dot + 1));
    }
  }
  add_named("lr", "learning rate");
  for (const RunRecord& run : runs) {
    for (const Curve& curve : run.watched) {
      const std::size_t slash = curve.name.find('/');
      const std::string kind = curve.name.substr(0, slash);
      if (kind == "gradient") {
        add(run, curve, "gradient norm", "", kind);
        continue;
      }
      const std::string head = curve.name.substr(slash + 1);
      const std::string title = kind == "evenness" ? "evenness of weights, entropy / log(keys)"
                                                   : "share of queries with a weight above 0.99";
      add(run, curve, alone ? title : head + ": " + title, "", head);
    }
  }
  return std::move(all.all);
}

Curve thinned(const Curve& curve, std::size_t columns) {
  constexpr std::size_t most_of_a_column = 4;
  const std::size_t size = curve.x.size();
  if (size <= columns * most_of_a_column) return curve;
  const auto [least, greatest] = std::minmax_element(curve.x.begin(), curve.x.end());
  const double first = *least, width = (*greatest - first) / static_cast<double>(columns);
  if (!(width > 0)) return curve;
  const auto column_of = [&](std::size_t i) {
    return std::min(columns - 1, static_cast<std::size_t>((curve.x[i] - first) / width));
  };
  Curve kept{curve.name, {}, {}};
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = begin, lowest = begin, highest = begin;
    for (; end < size && column_of(end) == column_of(begin); ++end) {
      // A gap gives way to any number.
      if (std::isnan(curve.y[lowest]) || curve.y[end] < curve.y[lowest]) lowest = end;
      if (std::isnan(curve.y[highest]) || curve.y[end] > curve.y[highest]) highest = end;
    }
    std::size_t places[] = {begin, lowest, highest, end - 1};
    std::sort(std::begin(places), std::end(places));
    const auto last = std::unique(std::begin(places), std::end(places));
    for (auto at = std::begin(places); at != last; ++at) {
      kept.x.push_back(curve.x[*at]);
      kept.y.push_back(curve.y[*at]);
    }
    begin = end;
  }
  return kept;
}

}  // namespace fovea::report
