#include <cmath>

#include <catch2/catch.hpp>

#include "training/diff.hpp"

using namespace fovea;

namespace {

// How two lists of values differ, as the entry `w` of two files.
std::vector<EntryDifference> between(const Entry::Values& a, const Entry::Values& b) {
  static Entries first, second;  // the result points into them
  first = Entries();
  second = Entries();
  first.add("w", a);
  second.add("w", b);
  return differences(first, second);
}

}  // namespace

TEST_CASE("values are the same when their bits are", "[training]") {
  using F32 = std::vector<float>;
  using F64 = std::vector<double>;
  CHECK(between(F32{1, NAN, INFINITY}, F32{1, NAN, INFINITY}).empty());
  CHECK(between(F64{}, F64{}).empty());
  const auto signs = between(F64{0.0, 0.0}, F64{0.0, -0.0});
  REQUIRE(signs.size() == 1);
  CHECK(signs[0].values->differing == 1);
  CHECK(signs[0].values->first == std::vector<std::uint64_t>{1});
  CHECK(*signs[0].values->absolute == 0);
  CHECK(*signs[0].values->relative == 0);

  const auto some = between(F32{1, 2, 3, 4}, F32{1, 2.5, -1, 4.5});
  REQUIRE(some.size() == 1);
  CHECK(some[0].values->differing == 3);
  CHECK(some[0].values->of == 4);
  CHECK(*some[0].values->absolute == 4);
  CHECK(*some[0].values->relative == Approx(4.0 / 3));
  CHECK(some[0].values->a == "2");
  CHECK(some[0].values->b == "2.5");
  for (const float other : {INFINITY, NAN}) {
    const auto infinite = between(F32{1, 1}, F32{other, 2});
    CHECK(*infinite[0].values->absolute == INFINITY);
    CHECK(*infinite[0].values->relative == INFINITY);
  }
}

TEST_CASE("values of different kinds are compared as numbers", "[training]") {
  const auto kinds = between(std::vector<float>{0.5f, NAN}, std::vector<double>{0.5, NAN});
  REQUIRE(kinds.size() == 1);
  CHECK_FALSE(kinds[0].values);
  const auto rounded = between(std::vector<float>{0.1f}, std::vector<double>{0.1});
  CHECK(rounded[0].values->differing == 1);
  const auto texts = between(std::vector<std::string>{"1"}, std::vector<double>{1});
  REQUIRE(texts.size() == 1);
  CHECK_FALSE(texts[0].values);
}

TEST_CASE("texts and whole numbers are compared too", "[training]") {
  const auto texts = between(std::vector<std::string>{"a", std::string(100, 'x')},
                             std::vector<std::string>{"a", std::string(100, 'y')});
  REQUIRE(texts.size() == 1);
  CHECK(texts[0].values->a == std::string(60, 'x') + "…");
  CHECK_FALSE(texts[0].values->absolute);
  const auto counts = between(std::vector<std::uint64_t>{7}, std::vector<std::uint64_t>{9});
  CHECK(*counts[0].values->absolute == 2);
  CHECK_FALSE(between(std::vector<std::uint64_t>{1, 2}, std::vector<std::uint64_t>{1})[0].values.has_value());
}

TEST_CASE("settings of checkpoints are compared one by one", "[training]") {
  Checkpoint checkpoint;
  checkpoint.label.config =
      "lr = 0.03\nfreeze = [\"a\", \"b\"]\n[[groups]]\npath = \"x\"\n[deep.er]\nname = \"y\"\n";
  checkpoint.entries.add_text("config", checkpoint.label.config);
  checkpoint.entries.add_text("task", "line");
  const Entries entries = comparable(checkpoint);
  CHECK_FALSE(entries.find("config"));
  CHECK(entries.text("task") == "line");
  CHECK(entries.text("config/lr") == "0.03");
  CHECK(entries.text("config/deep.er.name") == "y");
  CHECK(entries.find("config/freeze"));
  CHECK(entries.find("config/groups"));
}
