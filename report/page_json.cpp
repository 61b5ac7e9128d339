#include "report/page_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/room.hpp"
#include "report/short_names.hpp"
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

std::string base64(const std::string& bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) {
      return at < bytes.size() ? std::uint32_t(static_cast<unsigned char>(bytes[at])) : 0;
    };
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63];
  }
  return text;
}

// Two bytes each, the lower one first: 65535 stands for the largest.
Json packed(const std::vector<double>& weights) {
  constexpr double steps = 65535;
  double most = 0;
  for (const double weight : weights)
    if (std::isfinite(weight)) most = std::max(most, weight);
  std::string bytes;
  bytes.reserve(2 * weights.size());
  for (const double weight : weights) {
    const auto step = static_cast<std::uint16_t>(
        weight > 0 && most > 0 ? std::lround(std::min(1.0, weight / most) * steps) : 0);
    bytes += static_cast<char>(step & 255);
    bytes += static_cast<char>(step >> 8);
  }
  return {{"most", rounded(most, 9)}, {"steps", base64(bytes)}};
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

// What pictures share.
struct Shared {
  Backdrops backdrops;
  std::size_t weights_of_forecast = 0;  // how many there is room for
};

Json map_json(const HeatMap& map) {
  Json heads = Json::array();
  const std::vector<std::string> names = short_names(map);
  for (std::size_t i = 0; i < map.heads.size(); ++i) {
    Json head{{"name", visible(names[i])}, {"path", visible(map.heads[i].name)}};
    head.update(packed(map.heads[i].weights));
    heads.push_back(std::move(head));
  }
  return {{"rowAxis", visible(map.row_axis)},
          {"columnAxis", visible(map.column_axis)},
          {"rows", tokens_of(map.rows)},
          {"columns", tokens_of(map.columns)},
          {"heads", heads},
          {"leftOut", map.left_out}};
}

Json shown(const HeatMaps& maps, Shared&) {
  Json all = Json::array();
  for (const HeatMap& map : maps) all.push_back(map_json(map));
  return {{"kind", "heat"}, {"maps", all}};
}

Json shown(const Forecast& series, Shared& shared) {
  // Of a long horizon some rows.
  const std::vector<std::size_t> rows = spread(
      series.weights.size(),
      std::max<std::size_t>(1, shared.weights_of_forecast / std::max<std::size_t>(1, series.history())));
  std::vector<double> weights;
  for (const std::size_t row : rows)
    weights.insert(weights.end(), series.weights[row].begin(), series.weights[row].end());
  return {{"kind", "forecast"},
          {"value", visible(series.value)},
          {"history", series.history()},
          {"times", numbers_of(series.times)},
          {"came", numbers_of(series.truth)},
          {"forecast", numbers_of(series.forecast)},
          {"low", numbers_of(series.low)},
          {"high", numbers_of(series.high)},
          {"weightRows", rows},
          {"weights", packed(weights)}};
}

Json shown(const WeightedText& text, Shared&) {
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

Json shown(const Ranking& ranking, Shared& shared) {
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
          {"backdrop", shared.backdrops.number_of(ranking.backdrop)}};
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
      curves.push_back({{"name", visible(curve.name)},
                        {"look", curve.look},
                        {"x", numbers_of(curve.x)},
                        {"y", numbers_of(curve.y)}});
    }
    charts.push_back({{"title", visible(chart.title)},
                      {"unit", visible(chart.unit)},
                      {"folded", chart.folded},
                      {"curves", curves}});
  }
  std::vector<Picture> kept = page.pictures;
  leave_out_heads(kept, weights_of_page);
  Shared shared;
  const auto forecasts = std::count_if(kept.begin(), kept.end(), [](const Picture& picture) {
    return std::holds_alternative<Forecast>(picture.shown);
  });
  shared.weights_of_forecast =
      weights_of_page / std::max<std::size_t>(1, static_cast<std::size_t>(forecasts));
  for (const Picture& picture : kept) {
    Json one{{"group", visible(picture.group)},
             {"title", visible(picture.title)},
             {"answer", visible(picture.answer)},
             {"truth", visible(picture.truth)},
             {"note", visible(picture.note)}};
    one["shown"] = std::visit([&](const auto& what) { return shown(what, shared); }, picture.shown);
    pictures.push_back(std::move(one));
  }
  return Json{{"runs", runs}, {"charts", charts}, {"pictures", pictures}, {"backdrops", shared.backdrops.all}}
      .dump();
}

}  // namespace fovea::report
