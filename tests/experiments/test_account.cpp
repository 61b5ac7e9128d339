#include <limits>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "core/check.hpp"
#include "experiments/account/account.hpp"
#include "report/xml.hpp"

// Tables, plots and pages of made-up figures.

using namespace fovea;
using namespace fovea::experiments;
using Catch::Contains;

namespace {

Account account() {
  return {"made-up",
          "is it so?",
          "What was done.",
          {{"error", "errors of all", "d", "%"},
           {"time", "time", "kind", "ms", Summary::median},
           {"missing", "of data that were not there", "d"}},
          {{"error", "errors", Plot::Kind::lines, "d", "%", true, false},
           {"time", "time", Plot::Kind::dots, "ms", ""},
           {"missing", "nothing", Plot::Kind::lines, "d", ""}},
          [](const Figures& figures) {
            const bool falls = figures.mean("error", "16", "dot") < figures.mean("error", "8", "dot");
            return std::vector<Verdict>{{"it falls | with d", falls ? Verdict::Held::yes : Verdict::Held::no,
                                         fmt::format("{} at 16", figures.mean("error", "16", "dot"))}};
          }};
}

Figures figures(double last = 1) {
  Figures made;
  made.facts = {{"command", "fovea experiment made-up"}, {"cpu", "one"}, {"threads", "2"}};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    made.add("error", "8", "dot", seed, 4 + static_cast<double>(seed));
    made.add("error", "16", "dot", seed, last);
    made.add("error", "8", "a|b", seed, seed == 2 ? std::numeric_limits<double>::quiet_NaN() : 2);
    made.add("error", "16", "a|b", seed, std::numeric_limits<double>::quiet_NaN());
    made.add("time", "<first>", "ms", seed, 10.0 * static_cast<double>(seed * seed));
  }
  made.add("time", "second", "ms", 1, 5);
  return made;
}

}  // namespace

TEST_CASE("a cell sums up its numbers", "[experiments]") {
  const Account told = account();
  const Figures made = figures();
  CHECK(cell_text(made, told.tables[0], "8", "dot") == "6.0 ± 1.0");
  CHECK(cell_text(made, told.tables[0], "8", "a|b") == "2 ± 0, 1 of 3 diverged");
  CHECK(cell_text(made, told.tables[0], "16", "a|b") == "diverged");
  CHECK(cell_text(made, told.tables[0], "32", "dot") == "–");
  CHECK(cell_text(made, told.tables[1], "<first>", "ms") == "40 (10–90)");
  CHECK(cell_text(made, told.tables[1], "second", "ms") == "5");
}

TEST_CASE("a page has command, verdict, tables and origin", "[experiments]") {
  const std::string page = to_page(account(), figures());
  CHECK_THAT(page, Catch::StartsWith("# made-up: is it so?\n\n```\nfovea experiment made-up\n```\n"));
  CHECK_THAT(page, Contains("| it falls \\| with d | **yes** | 1 at 16 |"));
  CHECK_THAT(page, Contains("![is it so?](made-up.svg)"));
  CHECK_THAT(page, Contains("errors of all, % (mean ± deviation of 3 seeds):\n\n| d | dot | a\\|b "
                            "|\n|---|--:|--:|\n| 8 | 6.0 ± 1.0 | 2 ± 0, 1 "
                            "of 3 diverged |\n"));
  CHECK_THAT(page, Contains("time, ms (median, with the least and the greatest):"));
  CHECK_THAT(page, Contains("cpu: one · threads: 2\n"));
  CHECK_THAT(page, !Contains("of data that were not there") && !Contains("rehearsal"));
  Figures few = figures();
  few.facts[0].second += " --quick";
  CHECK_THAT(to_page(account(), few), Contains("**A rehearsal**"));
  // The verdict is of the figures.
  CHECK_THAT(to_page(account(), figures(9)), Contains("| **no** | 9 at 16 |"));
  const std::string text = to_text(account(), figures(9));
  CHECK_THAT(text, Contains("d         dot  ") && Contains("\"it falls | with d\": no. 9 at 16"));
}

TEST_CASE("plots are drawn of the tables that there are", "[experiments]") {
  const std::string drawing = to_svg(account(), figures());
  CHECK(report::xml_fault(drawing).empty());
  CHECK_THAT(drawing, Contains("errors · %") && Contains("&lt;first&gt;") && !Contains("nothing"));
  CHECK_THAT(drawing, !Contains("nan") && !Contains("inf"));
  // A line needs numbers to stand over.
  Account wrong = account();
  wrong.plots[1].kind = Plot::Kind::lines;
  CHECK_THROWS_WITH(to_svg(wrong, figures()), Contains("row \"<first>\" of time is no number"));
  wrong.plots[1].table = "errors";
  CHECK_THROWS_WITH(to_svg(wrong, figures()), Contains("has no table \"errors\""));
}

TEST_CASE("an index has the verdicts of all", "[experiments]") {
  const Account told = account();
  const std::vector<Told> all{{&told, figures()}};
  CHECK_THAT(to_index(all), Contains("| [made-up](made-up.md) | it falls \\| with d | **yes** |"));
  std::vector<Told> few{{&told, figures()}};
  few[0].figures.facts[0].second += " --quick";
  CHECK_THAT(to_index(few), Contains("| [made-up](made-up.md) (rehearsal) | it falls"));
}

TEST_CASE("a claim holds of all cases, of some or of none", "[experiments]") {
  const auto word = [](auto... counts) { return word_of(held_of(static_cast<std::size_t>(counts)...)); };
  CHECK(word(3, 3) == "yes");
  CHECK(word(2, 3) == "in part");
  CHECK(word(0, 3) == "no");
  CHECK(word(0, 0) == "no");
  // Better, worse, cases.
  CHECK(word(3, 0, 3) == "yes");
  CHECK(word(2, 0, 3) == "in part");
  CHECK(word(2, 1, 3) == "in part");
  CHECK(word(1, 1, 3) == "no");
  CHECK(word(1, 2, 3) == "no");
  CHECK(word(0, 0, 3) == "no");
  CHECK(word(0, 0, 0) == "no");
  // One of 40 would seem better by chance.
  CHECK(word(1, 0, 39) == "in part");
  CHECK(word(1, 0, 40) == "no");
  CHECK(word(2, 0, 40) == "in part");
  CHECK(word(40, 0, 40) == "yes");
}

TEST_CASE("texts are joined", "[experiments]") {
  CHECK(joined("", "a") == "a");
  CHECK(joined("a", "b") == "a; b");
}
