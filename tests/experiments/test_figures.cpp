#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "experiments/account/difference.hpp"
#include "training/folder.hpp"

// Figures, their file, and what a difference of two is worth.

using namespace fovea;
using namespace fovea::experiments;
using Catch::Contains;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

Figures two_rows(const std::vector<double>& a, const std::vector<double>& b) {
  Figures figures;
  for (std::size_t i = 0; i < a.size(); ++i) figures.add("t", "a", "error", i + 1, a[i]);
  // Another order of seeds, as trainings end when they like.
  for (std::size_t i = b.size(); i > 0; --i) figures.add("t", "b", "error", i, b[i - 1]);
  return figures;
}

}  // namespace

TEST_CASE("figures come back from their file to the bit", "[experiments]") {
  Figures figures;
  figures.facts = {{"command", "fovea experiment scaling"}, {"cpu", "Some: CPU, 3 GHz"}};
  figures.add("a table", "row, with \"quotes\"", "column", 1, 0.1 + 0.2);
  figures.add("other", "8", "x", 18446744073709551615u, -1e-300);
  figures.add("other", "8", "x", 2, none);
  const TemporaryFolder folder;
  write(folder / "f.csv", to_csv(figures));
  const Figures read = read_figures(folder / "f.csv");
  CHECK(read.facts == figures.facts);
  REQUIRE(read.all().size() == 3);
  CHECK(read.all()[0].row == "row, with \"quotes\"");
  CHECK(read.all()[0].value == 0.1 + 0.2);
  CHECK(read.all()[1].seed == 18446744073709551615u);
  CHECK(std::isnan(read.all()[2].value));
  CHECK(to_csv(read) == to_csv(figures));
}

TEST_CASE("a file of figures that is broken is told with its line", "[experiments]") {
  const TemporaryFolder folder;
  const auto fault = [&](const std::string& text) {
    write(folder / "f.csv", text);
    try {
      read_figures(folder / "f.csv");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const std::string head = "# cpu: x\ntable,row,column,seed,value\n";
  CHECK_THAT(fault(""), Contains("holds no figures"));
  CHECK_THAT(fault("table,row\n"), Contains("f.csv:1: expected"));
  CHECK_THAT(fault(head + "a,b,c,1\n"), Contains("f.csv:3: expected 5 fields, got 4"));
  CHECK_THAT(fault(head + "a,b,c,1,2\na,b,c,one,2\n"), Contains("f.csv:4: seed \"one\""));
  CHECK_THAT(fault(head + "a,b,c,1,2x\n"), Contains("f.csv:3: value \"2x\""));
  CHECK(fault(head + "a,b,c,1,2\n") == "none");
}

TEST_CASE("a cell is the numbers of its seeds, without those of trainings that diverged", "[experiments]") {
  const Figures figures = two_rows({3, none, 1}, {5, 7, 9});
  CHECK(figures.of("t", "a", "error") == std::vector<double>{3, 1});
  CHECK(figures.of("t", "b", "error") == std::vector<double>{5, 7, 9});
  CHECK(figures.diverged("t", "a", "error") == 1);
  CHECK(figures.mean("t", "a", "error") == 2);
  CHECK(figures.median("t", "b", "error") == 7);
  CHECK(std::isnan(figures.mean("t", "c", "error")));
  CHECK(figures.rows("t") == std::vector<std::string>{"a", "b"});
  CHECK(figures.columns("other").empty());
}

TEST_CASE("a difference is paired by seed, with Student's margin", "[experiments]") {
  // Pairs 1, 2, 3 apart: mean 2, deviation 1, standard error 1/√3, times 4.303.
  const Difference clear = between_rows(two_rows({11, 22, 33}, {10, 20, 30}), "t", "a", "b", "error");
  CHECK(clear.pairs == 3);
  CHECK(clear.mean == Approx(2));
  CHECK(clear.margin == Approx(4.303 / std::sqrt(3.0)));
  CHECK_FALSE(clear.is_clear());
  const Difference above = between_rows(two_rows({11, 21, 31.1}, {10, 20, 30}), "t", "a", "b", "error");
  CHECK(above.is_above());
  CHECK_FALSE(above.is_below());
  CHECK(told(above) == "+1.03 ± 0.14");
  const Difference below = between_rows(two_rows({11, 21, 31.1}, {10, 20, 30}), "t", "b", "a", "error");
  CHECK(below.is_below());
  // What diverged has no pair, and one pair tells nothing.
  CHECK(between_rows(two_rows({1, none}, {3, 4}), "t", "a", "b", "error").pairs == 1);
  CHECK_FALSE(between_rows(two_rows({1}, {300}), "t", "a", "b", "error").is_clear());
  CHECK(told(between_rows(two_rows({1}, {}), "t", "a", "b", "error")) == "–");
}

TEST_CASE("columns of a row are compared, too", "[experiments]") {
  Figures figures;
  const std::vector<double> dot{11, 21, 31.1, none, 50}, scaled{10, 20, 30, 5};
  for (std::size_t i = 0; i < dot.size(); ++i) figures.add("t", "8", "dot", i + 1, dot[i]);
  for (std::size_t i = scaled.size(); i > 0; --i) figures.add("t", "8", "scaled dot", i, scaled[i - 1]);
  figures.add("t", "16", "dot", 1, 1000);
  figures.add("other", "8", "dot", 1, 1000);
  const Difference difference = between_columns(figures, "t", "8", "dot", "scaled dot");
  CHECK(difference.pairs == 3);
  CHECK(difference.mean == Approx(3.1 / 3));
  CHECK(difference.is_above());
  CHECK(between_columns(figures, "t", "8", "scaled dot", "dot").is_below());
  CHECK(between_columns(figures, "t", "32", "dot", "scaled dot").pairs == 0);
}

TEST_CASE("the margin of many pairs is Student's, too", "[experiments]") {
  // Half at 0 and half at 2, and one at 1: the margin is the quantile times deviation by √n.
  const auto quantile = [](std::size_t count) {
    std::vector<double> pairs(count, 1.0);
    double squares = 0;
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      pairs[i] = 0;
      pairs[i + 1] = 2;
      squares += 2;
    }
    const auto n = static_cast<double>(count);
    return difference_of(pairs).margin / std::sqrt(squares / (n - 1) / n);
  };
  CHECK(quantile(2) == Approx(12.706));
  CHECK(quantile(11) == Approx(2.228));
  // By tables, to a hundredth.
  CHECK(quantile(12) == Approx(2.201).margin(0.01));
  CHECK(quantile(16) == Approx(2.131).margin(0.01));
  CHECK(quantile(21) == Approx(2.086).margin(0.01));
  CHECK(quantile(31) == Approx(2.042).margin(0.01));
  CHECK(quantile(101) == Approx(1.984).margin(0.01));
  CHECK(quantile(1001) == Approx(1.962).margin(0.01));
}
