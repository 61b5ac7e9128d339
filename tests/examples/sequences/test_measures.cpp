#include <algorithm>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "core/random.hpp"
#include "examples/sequences/measures.hpp"

using namespace fovea;
using namespace fovea::sequences;

namespace {

using Numbers = std::vector<std::int64_t>;

Numbers ids(const std::string& text) { return {text.begin(), text.end()}; }

std::size_t distance(const std::string& a, const std::string& b) { return edit_distance(ids(a), ids(b)); }

// As the definition says it.
std::size_t slow_distance(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const auto x = a.subspan(1), y = b.subspan(1);
  if (a[0] == b[0]) return slow_distance(x, y);
  return 1 + std::min({slow_distance(x, y), slow_distance(x, b), slow_distance(a, y)});
}

}  // namespace

TEST_CASE("sequences: the edit distance", "[examples]") {
  CHECK(distance("", "") == 0);
  CHECK(distance("abc", "abc") == 0);
  CHECK(distance("", "abc") == 3);
  CHECK(distance("abc", "") == 3);
  CHECK(distance("kitten", "sitting") == 3);
  CHECK(distance("saturday", "sunday") == 3);
  CHECK(distance("ab", "ba") == 2);  // a swap is two edits
  CHECK(distance("abc", "xabc") == 1);
  CHECK(distance("intention", "execution") == 5);
}

TEST_CASE("sequences: the edit distance is that of its definition", "[examples]") {
  Rng rng(5);
  for (int round = 0; round < 200; ++round) {
    Numbers a(rng.below(7)), b(rng.below(7));
    for (auto& id : a) id = 4 + static_cast<std::int64_t>(rng.below(3));
    for (auto& id : b) id = 4 + static_cast<std::int64_t>(rng.below(3));
    CHECK(edit_distance(a, b) == slow_distance(a, b));
    CHECK(edit_distance(b, a) == edit_distance(a, b));
  }
}

TEST_CASE("sequences: an unknown token is never right", "[examples]") {
  CHECK(edit_distance(Numbers{4, 3, 5}, Numbers{4, 3, 5}) == 1);
  CHECK(edit_distance(Numbers{3}, Numbers{3, 3}) == 2);
  ErrorRates rates;
  rates.add(Numbers{3}, std::vector<Numbers>{{3}});
  CHECK(rates.wrong == 1);
}

TEST_CASE("sequences: error rates are summed before they are divided", "[examples]") {
  ErrorRates rates;
  CHECK(rates.word_rate() == 0);
  CHECK(rates.token_rate() == 0);
  rates.add(ids("abcd"), std::vector<Numbers>{ids("abcd")});
  CHECK(rates.word_rate() == 0);
  rates.add(ids("a"), std::vector<Numbers>{ids("b")});
  CHECK(rates.word_rate() == 50);
  CHECK(rates.token_rate() == 20);  // 1 of 5, not the mean of 0 and 1
  rates.add(ids(""), std::vector<Numbers>{ids("xyz")});
  CHECK(rates.token_rate() == 50);  // 4 of 8
  rates.add(ids("aaaaaa"), std::vector<Numbers>{ids("b")});
  CHECK(rates.token_rate() == Approx(1000.0 / 9));  // more than all
  CHECK(rates.word_rate() == 75);
}

TEST_CASE("sequences: the nearest reference counts", "[examples]") {
  const std::vector<Numbers> references{ids("abcdefgh"), ids("abc"), ids("abcxy")};
  const auto rates_of = [&](const std::string& hypothesis) {
    ErrorRates rates;
    rates.add(ids(hypothesis), references);
    return rates;
  };
  CHECK(rates_of("abc").wrong == 0);
  CHECK(rates_of("abc").edits == 0);
  CHECK(rates_of("abc").tokens == 3);
  CHECK(rates_of("abcdefg").edits == 1);
  CHECK(rates_of("abcdefg").tokens == 8);
  CHECK(rates_of("abcdefg").wrong == 1);
  // As near to "abc" as to "abcxy": the longer one counts, wherever it stands.
  CHECK(rates_of("abcx").edits == 1);
  CHECK(rates_of("abcx").tokens == 5);
  ErrorRates turned;
  turned.add(ids("abcx"), std::vector<Numbers>{ids("abcxy"), ids("abc")});
  CHECK(turned.tokens == 5);
  ErrorRates none;
  CHECK_THROWS_AS(none.add(ids("abc"), {}), Error);
  CHECK(none.words == 0);
}
