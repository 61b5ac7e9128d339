#include <limits>
#include <map>

#include <catch2/catch.hpp>

#include "compare.hpp"
#include "modules/seq2seq/beam.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

constexpr std::int64_t begin = 1;

// Says what a table of log-probabilities by the last token tells it, for each row.
class Told final : public Decoding {
 public:
  explicit Told(std::map<std::int64_t, std::vector<double>> table) : table_(std::move(table)) {}

  Variable next(std::span<const std::int64_t> last) override {
    Tensor logits = uninitialized({last.size(), 6});
    for (std::size_t r = 0; r < last.size(); ++r)
      for (std::size_t c = 0; c < 6; ++c) {
        const double p = table_.at(last[r])[c];
        logits.data()[r * 6 + c] = static_cast<Real>(p > 0 ? std::log(p) : -1e9);
      }
    return Variable(std::move(logits));
  }
  void select(std::span<const std::size_t>) override {}

 private:
  std::map<std::int64_t, std::vector<double>> table_;
};

// 3 is likelier first, but what follows 4 is likelier altogether: 0.6 · 0.4 · 1 against 0.4 · 0.9.
Told garden_path() {
  return Told({{begin, {0, 0, 0, 0.6, 0.4, 0}},
               {3, {0, 0, 0.3, 0.3, 0, 0.4}},
               {4, {0, 0, 0.9, 0, 0, 0.1}},
               {5, {0, 0, 1, 0, 0, 0}}});
}

}  // namespace

TEST_CASE("beam search: a beam of 1 is greedy, a wider one sees farther", "[modules][seq2seq]") {
  const std::vector<std::size_t> most{4};
  Told told = garden_path();
  const auto greedy = beam_search(told, most, {.beam = 1}).at(0);
  REQUIRE(greedy.size() == 1);
  CHECK(greedy[0].tokens == std::vector<std::int64_t>{3, 5});
  CHECK(greedy[0].log_probability == Approx(std::log(0.24)).epsilon(1e-5));
  const auto wide = beam_search(told, most, {.beam = 2, .length_power = 0}).at(0);
  REQUIRE(wide.size() == 2);
  CHECK(wide[0].tokens == std::vector<std::int64_t>{4});
  CHECK(wide[0].score == Approx(std::log(0.36)).epsilon(1e-5));
  CHECK_FALSE(wide[0].cut);
  CHECK(wide[1].tokens == std::vector<std::int64_t>{3, 5});
}

TEST_CASE("beam search: scores are means over tokens and the end", "[modules][seq2seq]") {
  const std::vector<std::size_t> most{4};
  Told told = garden_path();
  const auto found = beam_search(told, most, {.beam = 2, .length_power = 1}).at(0);
  // log 0.24 / 3 is more than log 0.36 / 2.
  REQUIRE(found.size() == 2);
  CHECK(found[0].tokens == std::vector<std::int64_t>{3, 5});
  CHECK(found[0].score == Approx(std::log(0.24) / 3).epsilon(1e-5));
  CHECK(found[1].score == Approx(std::log(0.36) / 2).epsilon(1e-5));
}

TEST_CASE("beam search: what would never end is cut, each item at its own length", "[modules][seq2seq]") {
  Told told({{begin, {0, 0, 0, 1, 0, 0}}, {3, {0, 0, 0.1, 0.9, 0, 0}}});
  const std::vector<std::size_t> most{2, 5, 0};
  const auto found = beam_search(told, most, {.beam = 1});
  CHECK(found[0][0].tokens == std::vector<std::int64_t>(2, 3));
  CHECK(found[1][0].tokens == std::vector<std::int64_t>(5, 3));
  CHECK(found[2][0].tokens.empty());
  CHECK(found[1][0].cut);
  CHECK(found[0][0].log_probability == Approx(std::log(0.9) + std::log(0.1)).epsilon(1e-5));
}

TEST_CASE("beam search: padding is never said, NaN is an error", "[modules][seq2seq]") {
  Told padding({{begin, {0.9, 0, 0.1, 0, 0, 0}}});
  const std::vector<std::size_t> most{3};
  CHECK(beam_search(padding, most)[0][0].tokens.empty());
  Told unknown({{begin, {0, 0, 0.1, 0.9, 0, 0}}});
  CHECK(beam_search(unknown, most, {.never = {0, 3}})[0][0].tokens.empty());
  class NotANumber final : public Decoding {
    Variable next(std::span<const std::int64_t> last) override {
      return Variable(filled({last.size(), 6}, std::numeric_limits<Real>::quiet_NaN()));
    }
    void select(std::span<const std::size_t>) override {}
  } nan;
  CHECK_THROWS_WITH(beam_search(nan, most), Contains("not numbers"));
  CHECK_THROWS_WITH(beam_search(padding, most, {.beam = 0}), Contains("beam"));
  CHECK(beam_search(padding, {}).empty());
}
