#include "report/curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fovea::report {
namespace {

// Charts by title in the order in which the titles come up.
class Charts {
 public:
  Chart& add(const std::string& title, const std::string& unit, Curve curve) {
    const auto [at, is_new] = places_.emplace(title, all.size());
    if (is_new) all.push_back({title, unit, {}});
    all[at->second].curves.push_back(std::move(curve));
    return all[at->second];
  }
  std::vector<Chart> all;

 private:
  std::map<std::string, std::size_t> places_;
};

bool is_metric(const std::string& name) {
  return name != "loss" && name != "lr" && name != "seconds" && name != "epoch";
}

constexpr std::string_view entropy = "entropy.";

// `entropy.PATH.3` is of a head, `entropy.PATH` of an attention that has one.
bool is_of_head(const std::string& metric) {
  const std::string_view last = std::string_view(metric).substr(metric.rfind('.') + 1);
  return metric.starts_with(entropy) && metric.rfind('.') >= entropy.size() && !last.empty() &&
         last.find_first_not_of("0123456789") == last.npos;
}

// The curves of an attention's heads.
struct Heads {
  std::string path;
  std::vector<std::string> names;
  std::vector<Curve> curves;
};

// `name` is the attention's path, then, behind the last `before`, the head.
void add_head(std::vector<Heads>& attentions, const std::string& name, char before, const Curve& curve) {
  const std::size_t at = name.rfind(before);
  const std::string path = name.substr(0, at);
  auto found =
      std::find_if(attentions.begin(), attentions.end(), [&](const Heads& one) { return one.path == path; });
  if (found == attentions.end()) found = attentions.insert(found, {path, {}, {}});
  found->names.push_back(name.substr(at + 1));
  found->curves.push_back(curve);
}

// At each step the mean of those curves that have a number there.
Curve mean_of(const std::vector<Curve>& curves) {
  std::map<double, std::pair<double, double>> sums;  // by step: the sum, and of how many
  for (const Curve& curve : curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      auto& [sum, count] = sums[curve.x[i]];
      if (!std::isfinite(curve.y[i])) continue;
      sum += curve.y[i];
      ++count;
    }
  }
  Curve mean{"", {}, {}};
  for (const auto& [x, sum] : sums) {
    mean.x.push_back(x);
    mean.y.push_back(sum.first / sum.second);  // not a number where there is none
  }
  return mean;
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
    const auto number = static_cast<std::size_t>(&run - runs.data());
    return &all.add(title, unit, {alone ? name : run.name, curve.x, curve.y, number});
  };
  const auto add_named = [&](std::vector<Curve> RunRecord::*from, const char* column, const char* title) {
    for (const RunRecord& run : runs)
      for (const Curve& curve : run.*from)
        if (curve.name == column) add(run, curve, title, "", column);
  };
  add_named(&RunRecord::metrics, "loss", "training loss");
  add_named(&RunRecord::metrics, "lr", "learning rate");
  add_named(&RunRecord::watched, "gradient", "gradient norm");
  for (const RunRecord& run : runs) {
    for (const Curve& curve : run.metrics) {
      if (!is_metric(curve.name) || is_of_head(curve.name)) continue;
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
  constexpr std::size_t most_watched = 6;  // attentions; a page of more charts begins with their entropy
  // Of each attention its heads, or for several runs their mean, and the heads by themselves where one looks
  // closer.
  const auto add_heads = [&](const std::vector<Heads>& attentions, const RunRecord& run,
                             const std::string& kind, const std::string& unit, bool folded) {
    for (const Heads& one : attentions) {
      const std::string title = kind.ends_with('.') ? kind + one.path : one.path + ": " + kind;
      if (!alone) add(run, mean_of(one.curves), title, unit, "")->folded = folded;
      for (std::size_t h = 0; h < one.curves.size() && (alone || one.curves.size() > 1); ++h) {
        const std::string head = "head " + one.names[h];
        add(run, one.curves[h], alone ? title : title + ", " + head, unit, head)->folded = !alone || folded;
      }
    }
  };
  for (const RunRecord& run : runs) {
    std::vector<Heads> attentions;
    for (const Curve& curve : run.metrics)
      if (is_of_head(curve.name)) add_head(attentions, curve.name.substr(entropy.size()), '.', curve);
    add_heads(attentions, run, std::string(entropy), "nats", false);
  }
  for (const auto& [column, title] : {std::pair("evenness/", "evenness of weights, entropy / log(keys)"),
                                      std::pair("saturated/", "share of queries with a weight above 0.99")}) {
    for (const RunRecord& run : runs) {
      std::vector<Heads> attentions;
      for (const Curve& curve : run.watched)
        if (curve.name.starts_with(column))
          add_head(attentions, curve.name.substr(std::string_view(column).size()), ' ', curve);
      const auto single = [](const Heads& one) { return one.curves.size() == 1; };
      // Attentions of one head share a chart.
      for (const Heads& one : attentions)
        if (alone && single(one)) add(run, one.curves[0], title, "", one.path);
      if (alone) std::erase_if(attentions, single);
      add_heads(attentions, run, title, "", attentions.size() > most_watched);
    }
  }
  if (alone)
    for (Chart& chart : all.all)
      for (std::size_t i = 0; i < chart.curves.size(); ++i) chart.curves[i].look = i;
  // Charts that are folded come last.
  std::stable_partition(all.all.begin(), all.all.end(), [](const Chart& chart) { return !chart.folded; });
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
  Curve kept{curve.name, {}, {}, curve.look};
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
