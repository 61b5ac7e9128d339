#include "examples/forecast/show.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "training/text.hpp"

namespace fovea::inline FOVEA_REAL::forecast {
namespace {

constexpr std::size_t looks_shown = 3;

std::string looks(const ShownRow& row, bool with_times) {
  std::string text;
  for (const auto& [moment, weight] : row.looked_at)
    text += fmt::format("{}{} {:.3f}", text.empty() ? "" : "; ", to_string(moment, with_times), weight);
  return text;
}

std::string as_csv(const Shown& shown) {
  const bool backtest = !shown.rows.empty() && !shown.rows.front().actual.empty();
  const bool explained = !shown.rows.empty() && !shown.rows.front().looked_at.empty();
  std::string text = backtest ? "origin,time" : "time";
  for (const std::string& name : shown.targets) {
    text += "," + csv_field(name);
    if (shown.outputs == 3) text += "," + csv_field(name + "_q10") + "," + csv_field(name + "_q90");
    if (backtest) text += "," + csv_field(name + "_actual");
  }
  text += explained ? ",looked_at\n" : "\n";
  for (const ShownRow& row : shown.rows) {
    if (backtest) text += to_string(row.origin, shown.with_times) + ",";
    text += to_string(row.moment, shown.with_times);
    for (std::size_t c = 0; c < shown.targets.size(); ++c) {
      const double* of = row.forecasts.data() + c * shown.outputs;
      text += fmt::format(",{:.6g}", of[shown.outputs / 2]);
      if (shown.outputs == 3) text += fmt::format(",{:.6g},{:.6g}", of[0], of[2]);
      if (backtest) text += std::isnan(row.actual[c]) ? "," : fmt::format(",{:.6g}", row.actual[c]);
    }
    text += explained ? "," + looks(row, shown.with_times) + "\n" : "\n";
  }
  return text;
}

std::string as_json(const Shown& shown) {
  std::string text;
  for (const ShownRow& row : shown.rows) {
    nlohmann::ordered_json object{{"origin", to_string(row.origin, shown.with_times)},
                                  {"time", to_string(row.moment, shown.with_times)}};
    for (std::size_t c = 0; c < shown.targets.size(); ++c) {
      const double* of = row.forecasts.data() + c * shown.outputs;
      nlohmann::ordered_json one{{"forecast", of[shown.outputs / 2]}};
      if (shown.outputs == 3) one.update({{"q10", of[0]}, {"q90", of[2]}});
      if (!row.actual.empty()) one["actual"] = row.actual[c];
      object["targets"][shown.targets[c]] = std::move(one);
    }
    for (const auto& [moment, weight] : row.looked_at)
      object["looked_at"].push_back({{"time", to_string(moment, shown.with_times)}, {"weight", weight}});
    text += object.dump() + "\n";
  }
  return text;
}

}  // namespace

void keep_largest(std::vector<std::pair<Moment, double>>& looks) {
  std::stable_sort(looks.begin(), looks.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  looks.resize(std::min(looks.size(), looks_shown));
}

std::string show(const Shown& shown, bool json) { return json ? as_json(shown) : as_csv(shown); }

}  // namespace fovea::inline FOVEA_REAL::forecast
