#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/account/figures.hpp"

// How the figures of an experiment are told.

namespace fovea::experiments {

/// How a cell sums up its numbers: mean ± sample deviation over seeds, or, of what is timed, the median with
/// the least and the greatest of the rounds in brackets.
enum class Summary { mean, median };

struct Table {
  std::string name;   // in the figures
  std::string title;  // what it shows, with what is held fixed
  std::string rows;   // what the rows are: `d`, `attention`
  std::string unit = "";
  Summary summary = Summary::mean;
};

/// A plot of a table: with lines, over the rows' numbers, a line for each column; with dots, each row a
/// category.
struct Plot {
  enum class Kind { lines, dots };
  std::string table, title;
  Kind kind = Kind::lines;
  std::string x_title, y_title;
  bool log_x = false, log_y = false;
  std::vector<std::string> columns = {};  // these only; empty: all
};

/// What becomes of a claim of the field.
struct Verdict {
  enum class Held { yes, in_part, no };
  std::string claim;  // as it is made
  Held held = Held::no;
  std::string why;  // the figures that say so
};

/// The words around the figures. Tables and plots that the figures do not have are left out.
struct Account {
  std::string name;   // `scaling`
  std::string title;  // a question, for people
  std::string how;    // paragraphs on what was measured and how: Markdown
  std::vector<Table> tables;
  std::vector<Plot> plots;
  std::function<std::vector<Verdict>(const Figures&)> judge;
};

/// `yes`, `in part`, `no`.
std::string word_of(Verdict::Held held);
/// What holds of all cases, of some, or of none of them.
Verdict::Held held_of(std::size_t count, std::size_t cases);
/// Of a claim that something is better: yes where it is clearly better in all of so many cases; in part where
/// it is so more often than it is clearly worse, and more often than chance alone would make one of 40 seem
/// so; else no.
Verdict::Held held_of(std::size_t better, std::size_t worse, std::size_t cases);
/// `text; more`, or `more` where there is no text yet.
std::string joined(const std::string& text, const std::string& more);

/// A cell for people: `0.62 ± 0.03`, `12.1 (11.9–13)`, `diverged`, or a dash where there is nothing.
std::string cell_text(const Figures& figures, const Table& table, const std::string& row,
                      const std::string& column);

/// The tables and verdicts for a terminal.
std::string to_text(const Account& account, const Figures& figures);
/// The page, Markdown: question, command, verdicts, plot (NAME.svg), tables, where the figures come from.
std::string to_page(const Account& account, const Figures& figures);
/// The plots in one SVG, one below the other.
std::string to_svg(const Account& account, const Figures& figures);

/// An experiment that has been measured.
struct Told {
  const Account* account;
  Figures figures;
};
/// What became of all claims, with links to the pages: Markdown.
std::string to_index(std::span<const Told> all);

}  // namespace fovea::experiments
