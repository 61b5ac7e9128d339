#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/check.hpp"
#include "experiments/account/account.hpp"
#include "report/plot.hpp"
#include "training/statistics.hpp"

namespace fovea::experiments {
namespace {

const Table& table_of(const Account& account, const Plot& plot) {
  const auto found = std::find_if(account.tables.begin(), account.tables.end(),
                                  [&](const Table& table) { return table.name == plot.table; });
  if (found == account.tables.end())
    throw Error(account.name + " has no table \"" + plot.table + "\" to plot");
  return *found;
}

// A row over which lines are drawn is called by its number.
double number_of(const std::string& row, const Plot& plot) {
  double value = 0;
  const auto [end, error] = std::from_chars(row.data(), row.data() + row.size(), value);
  if (error != std::errc() || end != row.data() + row.size())
    throw Error("row \"" + row + "\" of " + plot.table + " is no number to draw a line over");
  return value;
}

void add(report::Points& points, double x, const std::vector<double>& values, Summary summary) {
  if (values.empty()) return;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double middle = summary == Summary::median ? median(values) : mean(values),
               spread = deviation(values);
  points.x.push_back(x);
  points.y.push_back(middle);
  points.low.push_back(summary == Summary::median ? *least : middle - spread);
  points.high.push_back(summary == Summary::median ? *greatest : middle + spread);
}

report::Plot plot_of(const Plot& plot, Summary summary, const Figures& figures) {
  const std::vector<std::string> rows = figures.rows(plot.table);
  report::Plot drawn{plot.title, plot.x_title, plot.y_title, plot.log_x, plot.log_y, {}, {}};
  if (plot.kind == Plot::Kind::dots) drawn.categories = rows;
  for (const std::string& column : figures.columns(plot.table)) {
    if (!plot.columns.empty() &&
        std::find(plot.columns.begin(), plot.columns.end(), column) == plot.columns.end())
      continue;
    report::Points points{column, {}, {}, {}, {}};
    for (std::size_t i = 0; i < rows.size(); ++i)
      add(points, plot.kind == Plot::Kind::dots ? static_cast<double>(i) : number_of(rows[i], plot),
          figures.of(plot.table, rows[i], column), summary);
    drawn.points.push_back(std::move(points));
  }
  return drawn;
}

}  // namespace

std::string to_svg(const Account& account, const Figures& figures) {
  std::vector<report::Plot> plots;
  for (const Plot& plot : account.plots) {
    const Summary summary = table_of(account, plot).summary;
    if (!figures.rows(plot.table).empty()) plots.push_back(plot_of(plot, summary, figures));
  }
  return report::svg(plots, account.title);
}

}  // namespace fovea::experiments
