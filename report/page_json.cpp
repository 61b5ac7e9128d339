#include "report/page_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/text.hpp"

namespace fovea::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t columns = 2000;  // about as many pixels as a screen is wide

Json rounded(double value, int digits = 5) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::trunc(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

Json numbers_of(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(rounded(value));
  return array;
}

// Weights are read with three decimals.
Json weights_of(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(rounded(std::round(value * 1e4) / 1e4));
  return array;
}

Json tokens_of(const std::vector<std::string>& texts) {
  Json array = Json::array();
  for (const std::string& text : texts) array.push_back(token(text));
  return array;
}

Json pairs_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json array = Json::array();
  for (const auto& [name, value] : pairs) array.push_back({visible(name), visible(value)});
  return array;
}

Json place_of(const std::vector<Place>& at) {
  return at.empty() ? Json() : Json{rounded(at.front().latitude), rounded(at.front().longitude)};
}

// A map's dots are the same for every query, so they stand in the page once.
class Backdrops {
 public:
  std::size_t number_of(const std::vector<Place>& backdrop) {
    const auto found = std::find(seen_.begin(), seen_.end(), backdrop);
    if (found != seen_.end()) return static_cast<std::size_t>(found - seen_.begin());
    seen_.push_back(backdrop);
    Json flat = Json::array();  // latitude, longitude, latitude, …
    for (const Place& at : backdrop) {
      flat.push_back(rounded(at.latitude));
      flat.push_back(rounded(at.longitude));
    }
    all.push_back(std::move(flat));
    return seen_.size() - 1;
  }
  Json all = Json::array();

 private:
  std::vector<std::vector<Place>> seen_;
};

Json shown(const HeatMap& map, Backdrops&) {
  Json heads = Json::array();
  for (const HeatMap::Head& head : map.heads)
    heads.push_back({{"name", visible(head.name)}, {"weights", weights_of(head.weights)}});
  return {{"kind", "heat"},
          {"rowAxis", visible(map.row_axis)},
          {"columnAxis", visible(map.column_axis)},
          {"rows", tokens_of(map.rows)},
          {"columns", tokens_of(map.columns)},
          {"heads", heads}};
}

Json shown(const Forecast& series, Backdrops&) {
  Json weights = Json::array();
  for (const auto& row : series.weights) weights.push_back(weights_of(row));
  return {{"kind", "forecast"},
          {"value", visible(series.value)},
          {"history", series.history()},
          {"times", numbers_of(series.times)},
          {"came", numbers_of(series.truth)},
          {"forecast", numbers_of(series.forecast)},
          {"low", numbers_of(series.low)},
          {"high", numbers_of(series.high)},
          {"weights", weights}};
}

Json shown(const WeightedText& text, Backdrops&) {
  Json labels = Json::array();
  for (const auto& [label, probability] : text.labels)
    labels.push_back({visible(label), rounded(probability)});
  return {{"kind", "text"},
          {"tokens", tokens_of(text.tokens)},
          {"joined", text.joined},
          {"weights", weights_of(text.weights)},
          {"evidence", numbers_of(text.evidence)},
          {"labels", labels}};
}

Json shown(const Ranking& ranking, Backdrops& backdrops) {
  Json entries = Json::array();
  for (const Ranking::Entry& entry : ranking.entries)
    entries.push_back({{"name", visible(entry.name)},
                       {"detail", visible(entry.detail)},
                       {"weight", rounded(entry.weight)},
                       {"at", place_of(entry.at)},
                       {"right", entry.is_right}});
  return {{"kind", "ranking"},
          {"entries", entries},
          {"asked", place_of(ranking.asked)},
          {"backdrop", backdrops.number_of(ranking.backdrop)}};
}

// Visible, but for the ends of its lines.
std::string visible_lines(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += visible(std::string_view(text).substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return result;
}

Json run_json(const RunRecord& run) {
  return {{"name", visible(run.name)},           {"task", visible(run.task)},
          {"command", visible(run.command)},     {"rows", run.rows},
          {"config", visible_lines(run.config)}, {"facts", pairs_of(run.facts)},
          {"results", pairs_of(run.results)},    {"resultsOf", visible(run.results_of)}};
}

}  // namespace

std::string page_json(const Page& page) {
  Json runs = Json::array(), charts = Json::array(), pictures = Json::array();
  for (const RunRecord& run : page.runs) runs.push_back(run_json(run));
  for (const Chart& chart : page.charts) {
    Json curves = Json::array();
    for (const Curve& whole : chart.curves) {
      const Curve curve = thinned(whole, columns);
      curves.push_back(
          {{"name", visible(curve.name)}, {"x", numbers_of(curve.x)}, {"y", numbers_of(curve.y)}});
    }
    charts.push_back({{"title", visible(chart.title)}, {"unit", visible(chart.unit)}, {"curves", curves}});
  }
  Backdrops backdrops;
  for (const Picture& picture : page.pictures) {
    Json one{{"group", visible(picture.group)},
             {"title", visible(picture.title)},
             {"answer", visible(picture.answer)},
             {"truth", visible(picture.truth)},
             {"note", visible(picture.note)}};
    one["shown"] = std::visit([&](const auto& what) { return shown(what, backdrops); }, picture.shown);
    pictures.push_back(std::move(one));
  }
  return Json{{"runs", runs}, {"charts", charts}, {"pictures", pictures}, {"backdrops", backdrops.all}}
      .dump();
}

}  // namespace fovea::report
