#include <cmath>

#include <catch2/catch.hpp>

#include "examples/cities/bundled.hpp"
#include "examples/cities/show.hpp"

using namespace fovea;
using namespace fovea::cities;
using Catch::Contains;

namespace {

// Whether one substitution, insertion, deletion or swap of neighbours (or nothing) leads from `a` to `b`.
bool one_edit_apart(const Text& a, const Text& b) {
  if (a == b) return true;
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  const auto rest = [](const Text& text, std::size_t from) {
    return from <= text.size() ? text.substr(from) : U"\1";
  };
  if (rest(a, same + 1) == rest(b, same + 1) && a.size() == b.size()) return true;
  if (a.size() + 1 == b.size() && a.substr(same) == rest(b, same + 1)) return true;
  if (b.size() + 1 == a.size() && b.substr(same) == rest(a, same + 1)) return true;
  return a.size() == b.size() && same + 1 < a.size() && a[same] == b[same + 1] && a[same + 1] == b[same] &&
         rest(a, same + 2) == rest(b, same + 2);
}

}  // namespace

TEST_CASE("cities: a typing error is one edit", "[examples]") {
  Rng rng(1);
  std::size_t shorter = 0, longer = 0, changed = 0;
  const int rounds = 4000;
  for (int i = 0; i < rounds; ++i) {
    const Text name = U"vieden";
    const Text typed = with_typo(name, rng);
    CAPTURE(utf8(typed));
    CHECK(one_edit_apart(name, typed));
    shorter += typed.size() < name.size();
    longer += typed.size() > name.size();
    changed += typed.size() == name.size();
  }
  CHECK(std::abs(static_cast<double>(shorter) / rounds - 0.25) < 0.03);
  CHECK(std::abs(static_cast<double>(longer) / rounds - 0.25) < 0.03);
  CHECK(changed == rounds - shorter - longer);
}

TEST_CASE("cities: short names and names with spaces are typed too", "[examples]") {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    CHECK(with_typo(U"", rng).size() == 1);
    CHECK(with_typo(U"o", rng).size() == 2);
    const Text typed = with_typo(U"a b", rng);  // an edit may leave a space at the edge; that is trimmed
    REQUIRE_FALSE(typed.empty());
    CHECK(typed.front() != U' ');
    CHECK(typed.back() != U' ');
  }
}

TEST_CASE("cities: noise on coordinates", "[examples]") {
  Rng rng(3);
  double sum = 0, squares = 0;
  const int rounds = 20000;
  for (int i = 0; i < rounds; ++i) {
    const Coordinates at = with_noise({10, 179.9}, rng);
    CHECK((at.longitude >= -180 && at.longitude < 180));
    sum += at.latitude - 10;
    squares += std::pow(at.latitude - 10, 2);
    const Coordinates pole = with_noise({89.9, 0}, rng);
    CHECK(pole.latitude <= 90);
  }
  CHECK(std::abs(sum / rounds) < 0.02);
  CHECK(std::sqrt(squares / rounds) == Approx(0.5).epsilon(0.03));
}

TEST_CASE("cities: queries are given what the rates say", "[examples]") {
  const City wien = parse_catalogue(four_cities, "four")[0];
  Rng rng(5);
  int typed = 0, located = 0, with_country = 0;
  const int rounds = 10000;
  for (int i = 0; i < rounds; ++i) {
    const Query query = draw_query(wien, U"vindobona", {}, rng);
    typed += query.name != U"vindobona";
    located += query.at.has_value();
    with_country += query.country == "AT";
  }
  CHECK(std::abs(typed / double(rounds) - 0.295) < 0.02);  // now and then an error changes nothing
  CHECK(std::abs(located / double(rounds) - 0.5) < 0.02);
  CHECK(std::abs(with_country / double(rounds) - 0.5) < 0.02);
}

TEST_CASE("cities: a query never becomes a forbidden name", "[examples]") {
  const Catalogue cities = parse_catalogue(four_cities, "four");
  std::unordered_set<Text> forbidden;
  for (char32_t c = U'a'; c <= U'z'; ++c) forbidden.insert(Text{U'o', c}), forbidden.insert(Text{c, U'o'});
  Rng rng(6);
  for (int i = 0; i < 500; ++i) {
    CHECK(draw_query(cities[0], U"o", forbidden, rng).name == U"o");
    CHECK_FALSE(draw_query(cities[2], U"neustadt", {}, rng).at);  // of a city without coordinates
    CHECK(draw_query(cities[3], U"wien", {}, rng).country.empty());
  }
}

TEST_CASE("cities: a line of predict", "[examples]") {
  const std::vector<std::string> countries{"AT", "DE"};
  const Query full = parse_query("Viedeň\t48.2\t-16.4\tAT", countries);
  CHECK(full.name == U"vieden");
  REQUIRE(full.at);
  CHECK(full.at->latitude == 48.2);
  CHECK(full.at->longitude == -16.4);
  CHECK(full.country == "AT");
  CHECK_FALSE(parse_query("Wien", countries).at);
  CHECK(parse_query("Wien\t\t\tDE", countries).country == "DE");
  CHECK(parse_query("Wien\t1\t2", countries).country.empty());
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "no letter or number"},
      {"--\t1\t2", "no letter or number"},
      {"Wien\t1", "the longitude is empty"},
      {"Wien\t\t1", "the latitude is empty"},
      {"Wien\tx\t1", "the latitude \"x\" is not a number"},
      {"Wien\t91\t1", "lies outside -90 … 90"},
      {"Wien\t1\t1e400", "too large"},
      {"Wien\t1\t2\tAustria", "the country \"Austria\" is none of the 2"},
      {"Wien\t1\t2\tAT\tx", "5 fields"},
      {"Wien\xff", "byte 5 of the line is not UTF-8"},
  };
  for (const auto& [line, words] : bad) {
    CAPTURE(line);
    CHECK_THROWS_AS(parse_query(line, countries), DataError);
    CHECK_THROWS_WITH(parse_query(line, countries), Contains(words));
  }
}
