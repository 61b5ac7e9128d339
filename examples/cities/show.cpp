#include "examples/cities/show.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "examples/cities/baselines.hpp"
#include "examples/unicode.hpp"
#include "training/text.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

constexpr std::size_t shown_matches = 5;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t tab = line.find('\t', begin);
    fields.push_back(line.substr(begin, tab - begin));
    if (tab == std::string::npos) return fields;
    begin = tab + 1;
  }
}

struct Row {
  const char* label;
  std::string prefix;
  bool has_entropy;
};

std::string cells(const Metrics& metrics, const std::string& set, const Row& row) {
  const auto at = [&](const char* name) { return metrics.at(set + row.prefix + name); };
  std::string text = fmt::format("{:7.1f}{:7.1f}{:7.1f}", at("top1"), at("top5"), at("mrr"));
  return text + (row.has_entropy ? fmt::format("{:9.2f}", at("entropy")) : std::string(9, ' '));
}

}  // namespace

Query parse_query(const std::string& line, std::span<const std::string> countries) {
  const std::size_t valid = unicode::valid_utf8(line);
  check<DataError>(valid == line.size(), "query", "byte ", valid + 1, " of the line is not UTF-8");
  std::vector<std::string> fields = fields_of(line);
  check<DataError>(fields.size() <= 4, "query", "the line has ", fields.size(),
                   " fields; expected name, latitude, longitude, country, separated by tabs");
  fields.resize(4);
  Query query;
  query.name = normalise(fields[0]);
  check<DataError>(!query.name.empty(), "query", "the name \"", fields[0], "\" has no letter or number");
  check<DataError>(fields[1].empty() == fields[2].empty(), "query", "the ",
                   fields[1].empty() ? "latitude" : "longitude", " is empty, but the ",
                   fields[1].empty() ? "longitude" : "latitude", " is given");
  if (!fields[1].empty()) query.at = parse_coordinates(fields[1], fields[2], "[query] ");
  query.country = fields[3];
  const bool known = query.country.empty() ||
                     std::find(countries.begin(), countries.end(), query.country) != countries.end();
  check<DataError>(known, "query", "the country \"", query.country, "\" is none of the ", countries.size(),
                   " that the model was trained with", countries.empty() ? "" : ", like " + countries[0],
                   suggestion(query.country, countries));
  return query;
}

std::string show_matches(const std::string& line, const Catalogue& cities, const Answer& answer, bool json) {
  const std::vector<std::size_t> best = answer.best(shown_matches);
  if (json) {
    nlohmann::ordered_json object, matches = nlohmann::ordered_json::array();
    object["query"] = line;
    for (const std::size_t i : best) {
      const City& city = cities[i];
      nlohmann::ordered_json match;
      match["name"] = city.name;
      match["country"] = city.country;
      match["weight"] = answer.weights[i];
      match["latitude"] = city.at ? nlohmann::ordered_json(city.at->latitude) : nlohmann::ordered_json();
      match["longitude"] = city.at ? nlohmann::ordered_json(city.at->longitude) : nlohmann::ordered_json();
      match["id"] = city.id;
      matches.push_back(std::move(match));
    }
    object["matches"] = std::move(matches);
    object["entropy"] = answer.entropy;
    return object.dump();
  }
  std::string text = fmt::format("{}   (entropy {:.2f})\n", fmt::join(fields_of(line), "  "), answer.entropy);
  for (const std::size_t i : best) {
    const City& city = cities[i];
    text += fmt::format("  {:.3f}  {}  {}", answer.weights[i], city.name, city.country);
    if (city.at) text += fmt::format("  {:.2f} {:.2f}", city.at->latitude, city.at->longitude);
    if (city.population) text += fmt::format("  {:.0f} people", *city.population);
    if (!city.timezone.empty()) text += "  " + city.timezone;
    text += "\n";
  }
  return text;
}

std::string comparison(const Metrics& metrics, const std::string& attention) {
  const std::string own = attention + " (this model)";
  const std::array<Row, 6> rows{{{"exact name", "baseline.exact.", false},
                                 {"trigram Jaccard", "baseline.jaccard.", false},
                                 {"nearest", "baseline.nearest.", false},
                                 {"logistic blend", "baseline.blend.", false},
                                 {"  + country, population", "baseline.blend_all.", false},
                                 {own.c_str(), "", true}}};
  std::string text = fmt::format("{:25}{:>30} {:>31}\n", "", "unseen names of seen cities", "unseen cities");
  const char* heads = "  top-1  top-5    MRR  entropy";
  text += fmt::format("{:25}{}  {}\n", "", heads, heads);
  for (const Row& row : rows) {
    text += fmt::format("{:25}{}  {}\n", row.label, cells(metrics, "", row),
                        cells(metrics, "unseen_cities.", row));
  }
  text +=
      "Percentages; entropy in nats, over the whole catalogue. An exact match finds nothing by construction: "
      "names that\n"
      "are in the catalogue's searchable field are no test queries. What it shows is how often a tie falls "
      "right.\n";
  return text;
}

}  // namespace fovea::inline FOVEA_REAL::cities
