#include "cli/grid.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "training/file.hpp"
#include "training/statistics.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

// Nothing where there is no number.
std::string number_of(const Outcome& outcome, const std::string& name) {
  for (const auto& [own, text] : outcome.numbers)
    if (own == name && text != "null") return text;
  return {};
}

}  // namespace

Varied varied_of(const std::string& text) {
  const std::size_t sign = text.find('=');
  Varied varied{text.substr(0, sign), {}};
  if (varied.name.starts_with("--")) varied.name.erase(0, 2);
  for (std::size_t begin = sign; begin != text.npos;) {
    const std::size_t end = text.find(',', begin + 1);
    varied.values.push_back(text.substr(begin + 1, end == text.npos ? end : end - begin - 1));
    begin = end;
  }
  check<ConfigError>(sign != 0 && !varied.values.empty(), "--vary", "expected setting=value,value,… got \"",
                     text, "\"");
  return varied;
}

void check_distinct(const std::vector<std::string>& values, const std::string& flag) {
  for (std::size_t i = 0; i < values.size(); ++i)
    check<ConfigError>(std::count(values.begin(), values.end(), values[i]) == 1, flag, "\"", values[i],
                       "\" is there twice");
}

std::string Cell::name() const {
  std::string text;
  for (const auto& [setting, value] : settings) text += (text.empty() ? "" : ",") + setting + "=" + value;
  return text;
}

std::string folder_of(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '/' ? "%2F" : c == '%' ? "%25" : std::string(1, c);
  constexpr std::size_t longest = 150;  // file systems end at 255 bytes, and the log has an ending
  return text.size() <= longest ? text : text.substr(0, longest) + "…" + xxh3(name);
}

std::vector<Cell> cells(const std::vector<Varied>& varied) {
  std::vector<Cell> all{{}};
  for (const Varied& one : varied) {
    std::vector<Cell> more;
    for (const Cell& cell : all) {
      for (const std::string& value : one.values) {
        more.push_back(cell);
        more.back().settings.emplace_back(one.name, value);
      }
    }
    all = std::move(more);
  }
  return all;
}

Outcome read_outcome(const std::filesystem::path& file, const Cell& cell, const std::string& seed) {
  try {
    const auto record = nlohmann::ordered_json::parse(read_file(file));
    Outcome outcome{cell, seed, false, record.at("parameters"), record.at("peak_bytes"), record.at("seconds"),
                    {}};
    bool metrics = false;  // they come behind the number of items
    for (const auto& [name, value] : record.items()) {
      if (metrics) outcome.numbers.emplace_back(name, value.dump());
      metrics = metrics || name == "items";
    }
    return outcome;
  } catch (const nlohmann::json::exception& error) {
    throw DataError(file.string() + ": is no result of a training (" + error.what() +
                    "); without its folder it is trained again");
  }
}

std::string comparison(const std::vector<Outcome>& outcomes, const std::vector<std::string>& shown) {
  std::vector<std::string> head{"", "runs"};
  head.insert(head.end(), shown.begin(), shown.end());
  head.insert(head.end(), {"parameters", "seconds", "MB"});
  std::vector<std::vector<std::string>> rows{head};
  std::vector<std::string> names;
  for (const Outcome& outcome : outcomes)
    if (std::find(names.begin(), names.end(), outcome.cell.name()) == names.end())
      names.push_back(outcome.cell.name());
  for (const std::string& name : names) {
    std::vector<std::vector<double>> values(shown.size());
    std::vector<double> seconds;
    std::uint64_t runs = 0, failed = 0, parameters = 0, bytes = 0;
    for (const Outcome& outcome : outcomes) {
      if (outcome.cell.name() != name) continue;
      ++runs;
      failed += outcome.failed;
      if (outcome.failed) continue;
      for (std::size_t i = 0; i < shown.size(); ++i)
        if (const std::string text = number_of(outcome, shown[i]); !text.empty())
          values[i].push_back(std::stod(text));
      seconds.push_back(outcome.seconds);
      parameters = outcome.parameters;
      bytes = std::max(bytes, outcome.peak_bytes);
    }
    std::vector<std::string> row{
        name.empty() ? "all" : name,
        failed ? fmt::format("{} ({} diverged)", runs, failed) : fmt::format("{}", runs)};
    for (const auto& of_metric : values) row.push_back(mean_and_deviation(of_metric));
    row.insert(row.end(),
               {fmt::format("{}", parameters), mean_and_deviation(seconds), fmt::format("{}", bytes >> 20)});
    rows.push_back(std::move(row));
  }
  return aligned(rows);
}

std::string outcomes_csv(const std::vector<Outcome>& outcomes) {
  std::vector<std::string> settings, metrics;
  const auto note = [](std::vector<std::string>& names, const Given& given) {
    for (const auto& [name, value] : given)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Outcome& outcome : outcomes) note(settings, outcome.cell.settings);
  for (const Outcome& outcome : outcomes) note(metrics, outcome.numbers);
  std::string text;
  for (const std::string& name : settings) text += csv_field(name) + ",";
  text += "seed,parameters,seconds,peak_bytes";
  for (const std::string& name : metrics) text += "," + csv_field(name);
  text += "\n";
  for (const Outcome& outcome : outcomes) {
    for (const auto& [name, value] : outcome.cell.settings) text += csv_field(value) + ",";
    text += outcome.failed ? outcome.seed + ",,,"
                           : fmt::format("{},{},{:.3f},{}", outcome.seed, outcome.parameters, outcome.seconds,
                                         outcome.peak_bytes);
    for (const std::string& name : metrics) text += "," + number_of(outcome, name);
    text += "\n";
  }
  return text;
}

}  // namespace fovea
