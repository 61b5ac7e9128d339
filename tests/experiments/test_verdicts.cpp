#include <cmath>
#include <limits>
#include <set>

#include <catch2/catch.hpp>

#include "experiments/experiment.hpp"
#include "report/xml.hpp"

// What the experiments make of figures: of none, of those of trainings that all diverged, and of made-up ones
// that speak for a claim or against it.

using namespace fovea::experiments;
using Catch::Contains;

namespace {

constexpr double diverged = std::numeric_limits<double>::quiet_NaN();
using Names = std::vector<std::string>;

const Account& account_of(const std::string& name) {
  for (const Experiment& experiment : experiments())
    if (experiment.account.name == name) return experiment.account;
  throw std::out_of_range(name);
}

// `yes`, `in part`, `no`, or `left out`, of the claim that holds these words.
std::string held(const std::string& experiment, const Figures& figures, const std::string& claim) {
  for (const Verdict& verdict : account_of(experiment).judge(figures))
    if (verdict.claim.find(claim) != std::string::npos) return word_of(verdict.held);
  return "left out";
}

// A cell: a value and its spread over seeds, which is the same for all, so that every difference is clear.
void add(Figures& into, const std::string& table, const std::string& row, const std::string& column,
         double value, std::uint64_t seeds = 3) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    into.add(table, row, column, seed, value + 0.125 * static_cast<double>(seed));
}

// Every table of an experiment, with rows and columns that some experiments know and others do not.
Figures shaped(const Account& account, const Names& rows, std::uint64_t seeds, double value) {
  const Names columns{"dot", "scaled dot", "additive", "error", "seattle", "half the steps", "ms"};
  Figures figures;
  for (const Table& table : account.tables)
    for (const std::string& row : rows)
      for (const std::string& column : columns)
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) figures.add(table.name, row, column, seed, value);
  return figures;
}

const Names numbers{"0", "8", "16", "512", "1024"};
const Names names{"dot",          "cosine",     "hybrid",
                  "additive",     "scaled_dot", "orthogonal",
                  "Xavier",       "LSTM alone", "mean of all scores",
                  "additive 256", "dot 256",    "λ = 0",
                  "λ = 0.1",      "8"};

}  // namespace

TEST_CASE("tables have names of their own, and plots are of them", "[experiments]") {
  std::set<std::string> accounts;
  for (const Experiment& experiment : experiments()) {
    const Account& account = experiment.account;
    INFO(account.name);
    CHECK(accounts.insert(account.name).second);
    std::set<std::string> tables;
    for (const Table& table : account.tables) {
      INFO(table.name);
      CHECK(tables.insert(table.name).second);
      CHECK_FALSE(table.title.empty());
    }
    CHECK_FALSE(account.plots.empty());
    for (const Plot& plot : account.plots) {
      INFO(plot.table);
      CHECK(tables.contains(plot.table));
    }
  }
}

TEST_CASE("of nothing there is no verdict, and a page all the same", "[experiments]") {
  for (const Experiment& experiment : experiments()) {
    INFO(experiment.account.name);
    for (const Verdict& verdict : experiment.account.judge(Figures{}))
      FAIL_CHECK(verdict.claim << ": " << word_of(verdict.held) << ": " << verdict.why);
    CHECK_THAT(to_page(experiment.account, {}), Catch::StartsWith("# " + experiment.account.name + ": "));
    CHECK_NOTHROW(to_text(experiment.account, {}));
    CHECK(fovea::report::xml_fault(to_svg(experiment.account, {})).empty());
  }
}

TEST_CASE("where all diverged no claim holds", "[experiments]") {
  for (const Experiment& experiment : experiments()) {
    const Account& account = experiment.account;
    for (const Names& rows : {numbers, names}) {
      for (const std::uint64_t seeds : {1, 2}) {
        INFO(account.name << ", " << rows.front() << ", " << seeds << " seeds");
        const Figures figures = shaped(account, rows, seeds, diverged);
        for (const Verdict& verdict : account.judge(figures)) {
          INFO(verdict.claim << ": " << verdict.why);
          CHECK(word_of(verdict.held) != "yes");
        }
        CHECK_NOTHROW(to_page(account, figures));
        CHECK_NOTHROW(to_text(account, figures));
      }
    }
    const std::string drawing = to_svg(account, shaped(account, {"8", "1024"}, 2, diverged));
    CHECK(fovea::report::xml_fault(drawing).empty());
    CHECK_THAT(drawing, !Contains("nan") && !Contains("inf\""));
  }
}

TEST_CASE("figures of one seed are judged, and no difference of theirs is clear", "[experiments]") {
  for (const Experiment& experiment : experiments()) {
    INFO(experiment.account.name);
    for (const Names& rows : {numbers, names})
      CHECK_NOTHROW(to_page(experiment.account, shaped(experiment.account, rows, 1, 1)));
  }
  Figures hops;
  add(hops, "hops", "1", "words wrong, %", 60, 1);
  add(hops, "hops", "2", "words wrong, %", 6, 1);
  CHECK(held("entropy", hops, "more hops") != "yes");
  Figures found;
  for (const char* column : {"unseen names, MRR", "unseen cities, MRR"}) {
    add(found, "found", "cosine", column, 90, 1);
    add(found, "found", "dot", column, 10, 1);
  }
  CHECK(held("match", found, "cosine") != "yes");
}

TEST_CASE("scaling: the variance is d, and the softmax saturates", "[experiments]") {
  const auto variance = [](double scaled) {
    Figures figures;
    for (const char* d : {"8", "1024"})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        figures.add("variance", d, "q·k", seed, scaled * std::stod(d));
        figures.add("variance", d, "q·k/√d", seed, scaled);
      }
    return held("scaling", figures, "variance");
  };
  CHECK(variance(1.01) == "yes");
  CHECK(variance(1.5) == "no");
  CHECK(variance(0.5) == "no");
  const auto softmax = [](double dot, double scaled) {  // at 1024, from 0.3
    Figures figures;
    for (const char* table : {"slope", "largest", "evenness"})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        for (const char* column : {"dot", "scaled dot"}) figures.add(table, "8", column, seed, 0.3);
        figures.add(table, "1024", "dot", seed, dot);
        figures.add(table, "1024", "scaled dot", seed, scaled);
      }
    return held("scaling", figures, "saturates");
  };
  CHECK(softmax(0.01, 0.3) == "yes");
  CHECK(softmax(0.3, 0.01) == "no");
  CHECK(softmax(0.3, 0.3) == "no");
}

TEST_CASE("scaling: nothing converges where most are wrong or diverged", "[experiments]") {
  const auto converges = [](std::vector<double> dot, double scaled) {  // finding 8, 1024; sorting 16, 256
    Figures figures;
    const std::vector<std::pair<const char*, const char*>> cells{
        {"finding", "8"}, {"finding", "1024"}, {"sorting", "16"}, {"sorting", "256"}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      add(figures, cells[i].first, cells[i].second, "dot", dot[i]);
      add(figures, cells[i].first, cells[i].second, "scaled dot", scaled);
    }
    return held("scaling", figures, "nothing converges");
  };
  CHECK(converges({90, 90, 90, 90}, 5) == "yes");
  CHECK(converges({diverged, diverged, diverged, diverged}, 5) == "yes");
  CHECK(converges({90, diverged, 90, 90}, 5) == "yes");
  CHECK(converges({5, 90, 5, 90}, 5) == "in part");
  CHECK(converges({5, 5, 5, diverged}, 5) == "in part");
  // Worse, but it converges.
  CHECK(converges({20, 20, 20, 20}, 5) == "no");
  CHECK(converges({5, 5, 5, 5}, 90) == "no");
  CHECK(converges({5, 5, 5, 5}, diverged) == "no");
}

TEST_CASE("series: attention makes forecasts better", "[experiments]") {
  const Names scores{"additive", "dot", "scaled_dot", "general", "cosine", "additive_norm", "hybrid"};
  const auto changes = [&](double seattle, double co2) {
    Figures figures;
    for (const auto& [column, change] : {std::pair("seattle", seattle), std::pair("co2", co2)}) {
      for (const std::string& score : scores) {
        add(figures, column, score, "MAE", 0.5 * (1 + change / 100));
        add(figures, "change in MAE", score, column, change);
      }
      add(figures, column, "LSTM alone", "MAE", 0.5);
      add(figures, "change in MAE", "mean of all scores", column, change);
    }
    return figures;
  };
  const char *size = "about 15 %", *any = "any attention";
  CHECK(held("series", changes(-15, -20), size) == "yes");
  CHECK(held("series", changes(-15, -20), any) == "yes");
  CHECK(held("series", changes(15, 20), size) == "no");
  CHECK(held("series", changes(15, 20), any) == "no");
  // As often better as worse is no part of the claim.
  CHECK(held("series", changes(-5, 5), any) == "no");
  CHECK(held("series", changes(-5, -5), size) == "no");
  CHECK(held("series", changes(-15, 0), size) == "in part");
  CHECK(held("series", changes(-15, -0.25), any) == "in part");
  CHECK(held("series", changes(-15, diverged), any) != "yes");
  CHECK(held("series", changes(-15, diverged), size) != "yes");
}

TEST_CASE("match: which score is best", "[experiments]") {
  const auto found = [](std::vector<double> names_found, std::vector<double> cities_found) {
    const Names attentions{"dot", "scaled_dot", "cosine", "additive", "hybrid"};
    Figures figures;
    for (std::size_t i = 0; i < attentions.size(); ++i) {
      add(figures, "found", attentions[i], "unseen names, MRR", names_found[i]);
      add(figures, "found", attentions[i], "unseen cities, MRR", cities_found[i]);
    }
    return figures;
  };
  const auto dot_best = found({50, 40, 40, 40, 40}, {50, 40, 40, 40, 40}),
             dot_worst = found({30, 40, 40, 40, 40}, {30, 40, 40, 40, 40}),
             cosine_best = found({30, 30, 40, 30, 30}, {30, 30, 40, 30, 30}),
             cosine_mostly = found({30, 30, 40, 30, 30}, {30, 50, 40, 30, 30}),
             cosine_even = found({30, 30, 40, 30, 30}, {50, 50, 40, 30, 30}),
             hybrid_best = found({30, 30, 30, 30, 40}, {30, 30, 30, 30, 40}),
             no_dot = found({diverged, 40, 40, 40, 40}, {diverged, 40, 40, 40, 40});
  const char *dot = "a dot product is enough", *cosine = "(cosine)", *hybrid = "dot and additive";
  CHECK(held("match", dot_best, dot) == "yes");
  CHECK(held("match", dot_worst, dot) == "no");
  CHECK(held("match", no_dot, dot) != "yes");
  CHECK(held("match", no_dot, dot) != "in part");
  CHECK(held("match", cosine_best, cosine) == "yes");
  CHECK(held("match", cosine_mostly, cosine) == "in part");
  CHECK(held("match", cosine_even, cosine) == "no");
  CHECK(held("match", dot_best, cosine) == "no");
  CHECK(held("match", hybrid_best, hybrid) == "yes");
  CHECK(held("match", dot_best, hybrid) == "no");
}

TEST_CASE("init: what a change does in three tasks", "[experiments]") {
  // By how much the changed row is better than the other, in g2p, classify and forecast.
  const auto changed = [](const std::string& row, const std::string& other, std::vector<double> better) {
    Figures figures;
    const Names tasks{"g2p", "classify", "forecast"};
    for (std::size_t i = 0; i < tasks.size(); ++i)
      for (const char* column : {"half the steps", "all steps"}) {
        add(figures, tasks[i], row, column, 50 + (tasks[i] == "classify" ? better[i] : -better[i]));
        add(figures, tasks[i], other, column, 50);
      }
    return figures;
  };
  const auto told = [&](std::vector<double> better) {
    const std::string as = held("init", changed("value transform", "orthogonal", better), "value transform");
    CHECK(held("init", changed("layer norm", "orthogonal", better), "layer norm") == as);
    CHECK(held("init", changed("orthogonal", "Xavier", better), "Xavier") == as);
    return as;
  };
  CHECK(told({5, 5, 5}) == "yes");
  CHECK(told({-5, -5, -5}) == "no");
  CHECK(told({0, 0, 0}) == "no");
  CHECK(told({5, 5, -5}) == "in part");
  CHECK(told({5, 0, 0}) == "in part");
  CHECK(told({5, 0, -5}) == "no");
  CHECK(told({5, -5, -5}) == "no");
  // Better where it could be trained is not better in all.
  CHECK(told({5, 5, diverged}) != "yes");
  CHECK(told({diverged, diverged, diverged}) != "yes");
}

TEST_CASE("bridge: additive attention against others", "[experiments]") {
  const auto quality = [](std::vector<double> ahead) {
    Figures figures;
    for (std::size_t i = 0; i < ahead.size(); ++i) {
      const std::string column = "world " + std::to_string(i);
      for (const char* table : {"recall", "recall validation"}) {
        add(figures, table, "additive 256", column, 50 + ahead[i]);
        add(figures, table, "additive 128", column, 20);
        add(figures, table, "scaled dot 256", column, 50);
        add(figures, table, "general", column, 20);
      }
    }
    return held("bridge", figures, "is better");
  };
  CHECK(quality({5, 5, 5, 5}) == "yes");
  CHECK(quality({-5, -5, -5, -5}) == "no");
  CHECK(quality({5, 5, -5, 0}) == "in part");
  CHECK(quality({5, 5, -5, -5}) == "no");
  CHECK(quality({5, -5, -5, -5}) == "no");
  const auto cost = [](double narrow, double wide) {  // how much longer a step takes
    Figures figures;
    for (const auto& [width, longer] : {std::pair("128", narrow), std::pair("256", wide)}) {
      add(figures, "step", std::string("additive ") + width, "ms", 10 + longer, 9);
      add(figures, "step", std::string("scaled dot ") + width, "ms", 10, 9);
    }
    return held("bridge", figures, "no extra cost");
  };
  CHECK(cost(0, 0) == "yes");
  CHECK(cost(-3, -3) == "yes");
  CHECK(cost(5, 5) == "no");
}

TEST_CASE("small-data: additive attention against others", "[experiments]") {
  // By how much additive is ahead with few and with many data, in names and in sort.
  const auto ahead = [](double names_few, double names_many, double sort_few, double sort_many) {
    Figures figures;
    const auto table = [&](const char* name, double sign, const Names& sizes, double few, double many) {
      for (const std::string& size : sizes) {
        add(figures, name, size, "additive", 50 + sign * (size == sizes.back() ? many : few));
        for (const char* rival : {"dot", "scaled_dot", "general", "cosine", "hybrid"})
          add(figures, name, size, rival, 50);
      }
    };
    table("names", 1, {"0.02", "0.05", "1"}, names_few, names_many);
    table("sort", -1, {"100", "250", "8000"}, sort_few, sort_many);
    return figures;
  };
  const char *best = "suits small data", *growth = "more data";
  CHECK(held("small-data", ahead(5, 0, 5, 0), best) == "yes");
  CHECK(held("small-data", ahead(5, 0, 5, 0), growth) == "yes");
  CHECK(held("small-data", ahead(-5, 0, -5, 0), best) == "no");
  CHECK(held("small-data", ahead(-5, 0, -5, 0), growth) != "yes");
  CHECK(held("small-data", ahead(5, 9, 5, 9), growth) == "no");
  CHECK(held("small-data", ahead(5, 0, -5, 0), best) == "no");
  CHECK(held("small-data", ahead(5, 0, 0, 0), best) == "in part");
  CHECK(held("small-data", ahead(5, 0, diverged, 0), best) != "yes");
}

TEST_CASE("entropy: what λ, hops and guides do", "[experiments]") {
  // What λ = 0.5 changes: of the entropy, and of errors, in g2p and in cities.
  const auto penalty = [](double entropy, double wrong, double places_entropy, double places_wrong) {
    Figures figures;
    for (const bool is_changed : {false, true}) {
      const std::string lambda = is_changed ? "0.5" : "0";
      add(figures, "g2p", lambda, "entropy, nats", 9 + is_changed * entropy);
      add(figures, "g2p", lambda, "words wrong, %", 50 + is_changed * wrong);
      add(figures, "cities", lambda, "entropy, nats", 9 + is_changed * places_entropy);
      add(figures, "cities", lambda, "found, %", 50 - is_changed * places_wrong);
    }
    return figures;
  };
  const char *sharp = "sharpens", *accurate = "is more accurate";
  CHECK(held("entropy", penalty(-2, -5, -2, -5), sharp) == "yes");
  CHECK(held("entropy", penalty(-2, -5, -2, -5), accurate) == "yes");
  CHECK(held("entropy", penalty(2, 5, 2, 5), sharp) == "no");
  CHECK(held("entropy", penalty(2, 5, 2, 5), accurate) == "no");
  CHECK(held("entropy", penalty(-2, -5, 0, 0), sharp) == "in part");
  CHECK(held("entropy", penalty(-2, -5, 2, 5), sharp) == "no");
  CHECK(held("entropy", penalty(-2, -5, 2, 5), accurate) == "no");
  CHECK(held("entropy", penalty(-2, -5, diverged, diverged), sharp) != "yes");
  CHECK(held("entropy", penalty(-2, -5, diverged, diverged), accurate) != "yes");

  const auto cure = [](const std::string& table, const std::string& lambda, const std::string& rival,
                       double entropy, double wrong, double rivals_wrong, double healthier = 0) {
    Figures figures;
    const double base = (table == "uniform" ? 2.2 : 0.1) + 3 * healthier;  // of ln 12 = 2.48
    for (const auto& [row, of_row, wrong_there] :
         {std::tuple(std::string("λ = 0"), base, 80.0),
          std::tuple("λ = " + lambda, base + entropy, 80 + wrong), std::tuple(rival, 1.0, rivals_wrong)}) {
      add(figures, table, row, "entropy, nats", of_row);
      add(figures, table, row, "tokens wrong, %", wrong_there);
    }
    return held("entropy", figures, table == "uniform" ? "cures uniform" : "cures collapsed");
  };
  CHECK(cure("uniform", "0.1", "general", -0.5, -70, 10) == "yes");
  CHECK(cure("uniform", "0.1", "general", -0.5, -20, 10) == "in part");
  CHECK(cure("uniform", "0.1", "general", -0.5, 10, 10) == "no");
  CHECK(cure("uniform", "0.1", "general", 0.5, -70, 10) == "no");
  CHECK(cure("uniform", "0.1", "general", diverged, diverged, 10) == "no");
  CHECK(cure("collapsed", "-0.5", "scaled_dot", 0.5, -70, 10) == "yes");
  CHECK(cure("collapsed", "-0.5", "scaled_dot", -0.05, -70, 10) == "no");
  // What is not ill needs no cure.
  CHECK(cure("uniform", "0.1", "general", -0.5, -70, 10, -0.2) == "left out");
  CHECK(cure("collapsed", "-0.5", "scaled_dot", 0.5, -70, 10, 0.2) == "left out");

  for (const auto& [table, claim, rows] :
       {std::tuple("hops", "more hops", Names{"1", "2", "3"}),
        std::tuple("guide", "a guide", Names{"none", "diagonal:100", "diagonal:400"})}) {
    const auto less = [&](double second, double third) {
      Figures figures;
      add(figures, table, rows[0], "words wrong, %", 50);
      add(figures, table, rows[1], "words wrong, %", 50 - second);
      add(figures, table, rows[2], "words wrong, %", 50 - third);
      return held("entropy", figures, claim);
    };
    INFO(table);
    CHECK(less(5, 5) == "yes");
    CHECK(less(5, 0) == "in part");
    CHECK(less(-5, -5) == "no");
    CHECK(less(5, -5) == "no");
    CHECK(less(5, diverged) != "yes");
    CHECK(less(diverged, diverged) == "no");
  }
}
