#include <algorithm>

#include <fmt/format.h>

#include "experiments/account/account.hpp"
#include "training/statistics.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const Figures& figures, const Table& table) {
  Rows rows{{table.rows}};
  const std::vector<std::string> columns = figures.columns(table.name);
  rows.front().insert(rows.front().end(), columns.begin(), columns.end());
  for (const std::string& row : figures.rows(table.name)) {
    rows.push_back({row});
    for (const std::string& column : columns) rows.back().push_back(cell_text(figures, table, row, column));
  }
  return rows;
}

std::string title_of(const Table& table, const Figures& figures) {
  const std::string unit = table.unit.empty() ? "" : ", " + table.unit;
  const std::size_t seeds = figures.seeds(table.name).size();
  return table.title + unit +
         (table.summary == Summary::median ? " (median, with the least and the greatest)"
          : seeds > 1                      ? fmt::format(" (mean ± deviation of {} seeds)", seeds)
                                           : "");
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + escaped(cell) + " |";
  return line + "\n";
}

std::string markdown(const Rows& rows) {
  std::string text = markdown_line(rows.front()) + "|---|";
  for (std::size_t i = 1; i < rows.front().size(); ++i) text += "--:|";
  text += "\n";
  for (std::size_t i = 1; i < rows.size(); ++i) text += markdown_line(rows[i]);
  return text;
}

std::string fact(const Figures& figures, const std::string& name) {
  for (const auto& [own, value] : figures.facts)
    if (own == name) return value;
  return {};
}

bool is_rehearsal(const Figures& figures) {
  return fact(figures, "command").find(" --quick") != std::string::npos;
}

}  // namespace

std::string word_of(Verdict::Held held) {
  return held == Verdict::Held::yes ? "yes" : held == Verdict::Held::no ? "no" : "in part";
}

Verdict::Held held_of(std::size_t count, std::size_t cases) {
  return count == 0 ? Verdict::Held::no : count == cases ? Verdict::Held::yes : Verdict::Held::in_part;
}

Verdict::Held held_of(std::size_t better, std::size_t worse, std::size_t cases) {
  if (cases > 0 && better == cases) return Verdict::Held::yes;
  const bool is_chance = better <= worse + cases / 40;
  return is_chance ? Verdict::Held::no : Verdict::Held::in_part;
}

std::string joined(const std::string& text, const std::string& more) {
  return text.empty() ? more : text + "; " + more;
}

std::string cell_text(const Figures& figures, const Table& table, const std::string& row,
                      const std::string& column) {
  const std::vector<double> values = figures.of(table.name, row, column);
  const std::size_t diverged = figures.diverged(table.name, row, column);
  if (values.empty()) return diverged > 0 ? "diverged" : "–";
  std::string text;
  if (table.summary == Summary::median) {
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    text = brief(median(values), 3);
    if (values.size() > 1) text += fmt::format(" ({}–{})", brief(*least, 3), brief(*greatest, 3));
  } else {
    text = mean_and_deviation(values);
  }
  return diverged > 0 ? fmt::format("{}, {} of {} diverged", text, diverged, diverged + values.size()) : text;
}

std::string to_text(const Account& account, const Figures& figures) {
  std::string text;
  for (const Table& table : account.tables) {
    if (figures.rows(table.name).empty()) continue;
    text += title_of(table, figures) + "\n" + aligned(rows_of(figures, table)) + "\n";
  }
  for (const Verdict& verdict : account.judge(figures))
    text += fmt::format("\"{}\": {}. {}\n", verdict.claim, word_of(verdict.held), verdict.why);
  return text;
}

std::string to_page(const Account& account, const Figures& figures) {
  std::string text =
      fmt::format("# {}: {}\n\n```\n{}\n```\n\n{}{}\n\n## Verdict\n\n", account.name, account.title,
                  fact(figures, "command"),
                  is_rehearsal(figures)
                      ? "**A rehearsal**, with few steps of small things: its figures mean nothing. What "
                        "follows is how the experiment is measured.\n\n"
                      : "",
                  account.how);
  Rows verdicts{{"claim", "holds", "what was measured"}};
  for (const Verdict& verdict : account.judge(figures))
    verdicts.push_back({verdict.claim, "**" + word_of(verdict.held) + "**", verdict.why});
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    text += markdown_line(verdicts[i]);
    if (i == 0) text += "|---|---|---|\n";
  }
  text += fmt::format("\n## Figures\n\n![{}]({}.svg)\n", account.title, account.name);
  for (const Table& table : account.tables) {
    if (figures.rows(table.name).empty()) continue;
    text += "\n" + title_of(table, figures) + ":\n\n" + markdown(rows_of(figures, table));
  }
  text += fmt::format(
      "\n*No* says that the figures do not show it, which may be for want of seeds. Deviations are of the "
      "sample; a difference "
      "of two is told with half its 95 % interval, paired by seed (Student's t). Bars in plots are the "
      "deviation, or the least "
      "and the greatest of what was timed. Every number is in [{0}.csv]({0}.csv).\n",
      account.name);
  std::string origin;
  for (const auto& [name, value] : figures.facts)
    if (name != "command") origin += (origin.empty() ? "" : " · ") + name + ": " + value;
  return text + "\n" + origin + "\n";
}

std::string to_index(std::span<const Told> all) {
  std::string text =
      "# The claims of the field, measured\n\nEach page is written by the command that it names, with the "
      "figures that it "
      "measured; `fovea experiment all` does all of them. *No* says that the figures do not show it.\n\n| "
      "experiment | claim | holds |\n|---|---|---|\n";
  for (const auto& [account, figures] : all) {
    const std::string link = fmt::format("[{0}]({0}.md)", account->name);
    for (const Verdict& verdict : account->judge(figures))
      text += markdown_line({link + (is_rehearsal(figures) ? " (rehearsal)" : ""), verdict.claim,
                             "**" + word_of(verdict.held) + "**"});
  }
  return text;
}

}  // namespace fovea::experiments
