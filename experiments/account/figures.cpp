#include "experiments/account/figures.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/check.hpp"
#include "training/file.hpp"
#include "training/statistics.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

constexpr std::string_view head = "table,row,column,seed,value";

void note(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Fields of a CSV line as csv_field writes them.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool doubled = quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"';
    if (line[i] == '"' && !doubled)
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
    i += doubled;
  }
  return fields;
}

template <class Number>
bool reads(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void Figures::add(std::string table, std::string row, std::string column, std::uint64_t seed, double value) {
  all_.push_back({std::move(table), std::move(row), std::move(column), seed, value});
}

std::vector<std::string> Figures::rows(const std::string& table) const {
  std::vector<std::string> names;
  for (const Figure& figure : all_)
    if (figure.table == table) note(names, figure.row);
  return names;
}

std::vector<std::string> Figures::columns(const std::string& table) const {
  std::vector<std::string> names;
  for (const Figure& figure : all_)
    if (figure.table == table) note(names, figure.column);
  return names;
}

double Figures::at(const std::string& table, const std::string& row, const std::string& column,
                   std::uint64_t seed) const {
  for (const Figure& figure : all_)
    if (figure.table == table && figure.row == row && figure.column == column && figure.seed == seed)
      return figure.value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::set<std::uint64_t> Figures::seeds(const std::string& table) const {
  std::set<std::uint64_t> seeds;
  for (const Figure& figure : all_)
    if (figure.table == table) seeds.insert(figure.seed);
  return seeds;
}

std::map<std::uint64_t, double> Figures::by_seed(const std::string& table, const std::string& row,
                                                 const std::string& column) const {
  std::map<std::uint64_t, double> values;
  for (const Figure& figure : all_)
    if (figure.table == table && figure.row == row && figure.column == column && std::isfinite(figure.value))
      values[figure.seed] = figure.value;
  return values;
}

std::vector<double> Figures::of(const std::string& table, const std::string& row,
                                const std::string& column) const {
  std::vector<double> values;
  for (const auto& [seed, value] : by_seed(table, row, column)) values.push_back(value);
  return values;
}

std::size_t Figures::diverged(const std::string& table, const std::string& row,
                              const std::string& column) const {
  return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [&](const Figure& figure) {
    return figure.table == table && figure.row == row && figure.column == column &&
           !std::isfinite(figure.value);
  }));
}

double Figures::mean(const std::string& table, const std::string& row, const std::string& column) const {
  return fovea::mean(of(table, row, column));
}

double Figures::median(const std::string& table, const std::string& row, const std::string& column) const {
  return fovea::median(of(table, row, column));
}

std::string to_csv(const Figures& figures) {
  std::string text;
  for (const auto& [name, value] : figures.facts) text += "# " + name + ": " + one_line(value) + "\n";
  text += std::string(head) + "\n";
  for (const Figure& figure : figures.all())
    text += fmt::format("{},{},{},{},{}\n", csv_field(figure.table), csv_field(figure.row),
                        csv_field(figure.column), figure.seed, figure.value);
  return text;
}

Figures read_figures(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  Figures figures;
  std::size_t number = 0;
  bool begun = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    const std::string where = fmt::format("{}:{}: ", file.string(), number);
    const std::size_t colon = line.find(": ");
    if (!begun && line.starts_with("# ") && colon != line.npos) {
      figures.facts.emplace_back(line.substr(2, colon - 2), line.substr(colon + 2));
      continue;
    }
    if (!begun) {
      if (line != head)
        throw DataError(where + "expected \"" + std::string(head) + "\", got \"" + line + "\"");
      begun = true;
      continue;
    }
    const std::vector<std::string> fields = fields_of(line);
    std::uint64_t seed = 0;
    double value = std::numeric_limits<double>::quiet_NaN();
    if (fields.size() != 5) throw DataError(fmt::format("{}expected 5 fields, got {}", where, fields.size()));
    if (!reads(fields[3], seed)) throw DataError(where + "seed \"" + fields[3] + "\" is no whole number");
    if (!reads(fields[4], value)) throw DataError(where + "value \"" + fields[4] + "\" is no number");
    figures.add(fields[0], fields[1], fields[2], seed, value);
  }
  if (!begun) throw DataError(file.string() + ": holds no figures");
  return figures;
}

}  // namespace fovea::experiments
