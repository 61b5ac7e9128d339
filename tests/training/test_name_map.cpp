#include <catch2/catch.hpp>

#include "modules/recurrent.hpp"
#include "modules/transformer.hpp"
#include "training/arrays.hpp"
#include "training/checkpoint.hpp"
#include "training/name_map.hpp"

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;

namespace {

// An array of 0, 1, 2, …
void add(Entries& arrays, const std::string& name, const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t length : shape) count *= length;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  arrays.add(name, shape, values);
}

Entries one(const std::string& name, const std::vector<std::uint64_t>& shape) {
  Entries arrays;
  add(arrays, name, shape);
  return arrays;
}

std::vector<std::string> names(const Entries& arrays) {
  std::vector<std::string> all;
  for (const Entry& entry : arrays.all()) all.push_back(entry.name);
  return all;
}

using Names = std::vector<std::string>;
using Lengths = std::vector<std::uint64_t>;

void check_equal(const Entries& a, const Entries& b) {
  REQUIRE(a.all().size() == b.all().size());
  for (const Entry& entry : a.all()) {
    INFO(entry.name);
    REQUIRE(b.find(entry.name));
    CHECK(b.at(entry.name).shape == entry.shape);
    CHECK(checksum(b.at(entry.name)) == checksum(entry));
  }
}

// What the map makes of `theirs`, having seen that the way back leads to the same.
Entries there_and_back(const std::string& map, const Entries& theirs) {
  const NameMap names = NameMap::parse(map, "m.toml");
  Entries ours = names.to_ours(theirs);
  check_equal(theirs, names.to_theirs(ours));
  return ours;
}

}  // namespace

TEST_CASE("a map renames arrays, one by one and by families", "[training]") {
  Entries theirs;
  for (const char* name :
       {"emb.weight", "enc.0.norm1.weight", "enc.0.norm1.bias", "enc.10.norm2.weight", "x", "dec.weight"})
    add(theirs, name, {2});
  const Entries ours = there_and_back(R"(
    "emb.weight" = "embedding.table"
    "enc.*.norm*.weight" = "encoder.layers.*.norm*.gain"
    "enc.*" = "encoder.layers.*"
  )",
                                      theirs);
  CHECK(names(ours) == Names{"embedding.table", "encoder.layers.0.norm1.gain", "encoder.layers.0.norm1.bias",
                             "encoder.layers.10.norm2.gain", "x", "dec.weight"});
  // A * may stand for nothing, and is as short as can be.
  CHECK(names(there_and_back("\"*a*\" = \"*|*\"", one("bab", {1}))) == Names{"b|b"});
  CHECK(names(there_and_back("\"*a*\" = \"*|*\"", one("aa", {1}))) == Names{"|a"});
  CHECK(names(there_and_back("\"a*a\" = \"b*\"", one("a", {1}))) == Names{"a"});
  CHECK(names(there_and_back("\"a*a\" = \"b*\"", one("aa", {1}))) == Names{"b"});
  CHECK(names(NameMap().to_ours(theirs)) == names(theirs));
}

TEST_CASE("the first line of a map that fits decides", "[training]") {
  Entries arrays = one("w_b", {1});
  add(arrays, "w_a", {1});
  CHECK(names(there_and_back("\"w_a\" = \"first\"\n\"w_*\" = \"all.*\"", arrays)) == Names{"all.b", "first"});
  const NameMap map = NameMap::parse("\"w_*\" = \"all.*\"\n\"w_a\" = \"last\"\n", "m.toml");
  CHECK_THROWS_WITH(map.to_ours(arrays), "m.toml:2: a line before this one takes \"w_a\"");
}

TEST_CASE("a map leaves out what has no path of ours", "[training]") {
  Entries theirs = one("w", {2});
  add(theirs, "counter", {1});
  const NameMap map = NameMap::parse("\"count*\" = \"\"\n\"w\" = \"v\"", "m.toml");
  CHECK(names(map.to_ours(theirs)) == Names{"v"});
  CHECK(names(map.to_theirs(one("v", {2}))) == Names{"w"});
}

TEST_CASE("a map takes packed arrays apart and puts them together", "[training]") {
  const std::string map = "\"p[0/3]\" = \"q\"\n\"p[1/3]\" = \"k\"\n\"p[2/3]\" = \"v\"\n";
  const Entries ours = there_and_back(map, one("p", {6, 2}));
  CHECK(ours.at("k").shape == Lengths{2, 2});
  CHECK(ours.values<float>("k") == std::vector<float>{4, 5, 6, 7});
  // Lines may stand in any order, and both sides may have rows.
  const Entries swapped = there_and_back("\"w[1/2]\" = \"u[0/2]\"\n\"w[0/2]\" = \"u[1/2]\"\n", one("w", {4}));
  CHECK(swapped.values<float>("u") == std::vector<float>{2, 3, 0, 1});
  const Entries uneven = there_and_back("\"w[0:1]\" = \"a\"\n\"w[1:4]\" = \"b\"\n", one("w", {4, 2}));
  CHECK(uneven.at("b").shape == Lengths{3, 2});
  const Entries row = there_and_back("\"w[0]\" = \"v\"", one("w", {1, 5}));
  CHECK(row.at("v").shape == Lengths{5});
  // A part may be left out, where they are read.
  const NameMap part = NameMap::parse("\"w[0/2]\" = \"a\"\n\"w[1/2]\" = \"\"\n", "m.toml");
  CHECK(part.to_ours(one("w", {4})).values<float>("a") == std::vector<float>{0, 1});
}

// Of ranges and single rows the lines do not tell how many rows there are.
TEST_CASE("a map that would lose rows is refused", "[training]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"("v" = "w[0:3]")", "m.toml:1: w: no line has its rows 3 to 6"},
      {R"("v" = "w[0]")", "m.toml:1: w: no line has its rows 1 to 6"},
      {"\n\"v\" = \"w[0:3]\"\n\"u\" = \"w[3:5]\"\n", "m.toml:2: w: no line has its rows 5 to 6"},
      {R"("v" = "w^T[0:3]")", "m.toml:1: w: no line has its rows 3 to 4"},
      {"\"v\" = \"w[0]\"\n\"u\" = \"w[2:6]\"\n", "m.toml:2: w[2:6]: no line has the rows before these"},
      {"\"v\" = \"w\"\n\"u\" = \"w[0:3]\"\n", "m.toml:2: w[0:3]: another line has these rows too"},
  };
  for (const auto& [map, words] : cases) {
    CAPTURE(map, words);
    const auto read = [&, &text = map] { return NameMap::parse(text, "m.toml").to_theirs(one("w", {6, 4})); };
    REQUIRE_THROWS_AS(read(), ConfigError);
    CHECK_THROWS_WITH(read(), Contains(words.substr(words.find(' '))));
  }
  const NameMap map = NameMap::parse("\"w[0:6]\" = \"v\"\n", "m.toml");
  CHECK_THROWS_WITH(map.to_ours(one("w", {9, 3})), StartsWith("m.toml:1: w: no line has its rows 6 to 9"));
  check_equal(map.to_ours(one("w", {6, 3})), one("v", {6, 3}));
  const NameMap less = NameMap::parse("\"w[0:6]\" = \"v\"\n\"w[6:9]\" = \"\"\n", "m.toml");
  CHECK(less.to_ours(one("w", {9, 3})).at("v").shape == Lengths{6, 3});
}

TEST_CASE("a map names arrays that are not read, and leaves them out", "[training]") {
  const Arrays theirs{one("w", {4, 2}),
                      {{"n", "<i8", {}, "sum"}, {"x.n", "<i8", {3}, "sum"}, {"part", "<i4", {2, 2}, "sum"}}};
  const auto unread = [&](const std::string& map) {
    std::map<std::string, std::string> found;
    const Arrays ours = NameMap::parse(map, "m.toml").to_ours(theirs);
    for (const UnreadArray& array : ours.unread) found[array.name] = array.type;
    return found;
  };
  using Types = std::map<std::string, std::string>;
  CHECK(unread("") == Types{{"n", "<i8"}, {"x.n", "<i8"}, {"part", "<i4"}});
  CHECK(unread("\"n\" = \"\"\n\"x.*\" = \"*\"\n") == Types{{"n", "<i8"}, {"part", "<i4"}});
  CHECK(unread("\"*n\" = \"\"\n\"part[0/2]\" = \"a\"\n\"part[1/2]\" = \"b\"\n") ==
        Types{{"a", "<i4"}, {"b", "<i4"}});
  // An array to which one of them belongs is not read.
  const std::string joined = "\"w\" = \"v[0/2]\"\n\"part\" = \"v[1/2]\"\n\"*n\" = \"\"\n";
  CHECK(unread(joined) == Types{{"v", "<i4"}});
  CHECK(NameMap::parse(joined, "m.toml").to_ours(theirs).read.all().empty());
  CHECK_THROWS_WITH(unread("\"*n\" = \"\"\n\"n\" = \"m\"\n"), "m.toml:2: a line before this one takes \"n\"");
  CHECK_THROWS_WITH(unread("\"pat\" = \"\""), Contains("did you mean \"part\"?"));
}

TEST_CASE("a map transposes", "[training]") {
  const Entries ours = there_and_back("\"kernel^T\" = \"weight\"", one("kernel", {2, 3}));
  CHECK(ours.at("weight").shape == Lengths{3, 2});
  CHECK(ours.values<float>("weight") == std::vector<float>{0, 3, 1, 4, 2, 5});
  check_equal(ours, there_and_back("\"kernel\" = \"weight^T\"", one("kernel", {2, 3})));
  // Columns are rows of the transpose.
  const Entries columns = there_and_back("\"w^T[0/2]\" = \"a\"\n\"w^T[1/2]\" = \"b^T\"\n", one("w", {2, 4}));
  CHECK(columns.values<float>("a") == std::vector<float>{0, 4, 1, 5});
  CHECK(columns.values<float>("b") == std::vector<float>{2, 3, 6, 7});
  CHECK(there_and_back("\"w^T\" = \"v\"", one("w", {2, 3, 4})).at("v").shape == Lengths{4, 3, 2});
  CHECK(there_and_back("\"w^T\" = \"v\"", one("w", {0, 3})).at("v").shape == Lengths{3, 0});
}

TEST_CASE("a map that is wrong is refused with its line", "[training]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\"a\" = ", "m.toml:1:"},
      {"\"w\" = \"a\"\n\"w\" = \"b\"\n", "m.toml:2:"},
      {"\n\"w\" = 3\n", "m.toml:2: expected \"their.name\" = \"our.path\""},
      {"enc.weight = \"a\"\n", "m.toml:1: expected \"their.name\" = \"our.path\""},
      {"\"w*\" = \"a\"\n", "m.toml:1: \"w*\" has 1 * and \"a\" has 0"},
      {"\n\n\"w[3/3]\" = \"a\"\n", "m.toml:3: \"w[3/3]\" ends in rows that are not understood"},
      {"\"w\" = \"a[2:2]\"\n", "m.toml:1: \"a[2:2]\" ends in rows"},
      {"\"w\" = \"a[]\"\n", "m.toml:1: \"a[]\" ends in rows"},
      {"\"w\" = \"a[-1]\"\n", "m.toml:1: \"a[-1]\" ends in rows"},
      {"\"w\" = \"a]\"\n", "m.toml:1: \"a]\" ends in rows"},
      {"\"v\" = \"a\"\n", "m.toml:1: there is no array \"v\""},
      {"\"weigth\" = \"a\"\n", "m.toml:1: there is no array \"weigth\"; did you mean \"weight\"?"},
      {"\"w[0/3]\" = \"a\"\n", "m.toml:1: w[0/3]: 4 rows are not 3 equal parts"},
      {"\"w[0:5]\" = \"a\"\n", "m.toml:1: w[0:5]: there are 4 rows"},
      {"\"n[0]\" = \"a\"\n", "m.toml:1: n[0]: a single number has no rows"},
      {"\"w[0/2]\" = \"a\"\n", "m.toml:1: w: no line has its rows 2 to 4"},
      {"\"w[1/2]\" = \"a\"\n", "m.toml:1: w[1/2]: no line has the rows before these"},
      {"\"w[0:3]\" = \"a\"\n\"w[2:4]\" = \"b\"\n", "m.toml:1: w[2:4]: another line has these rows too"},
      {"\"w\" = \"a\"\n\"weight\" = \"a\"\n", "m.toml:1: a: another line has these rows too"},
      {"\"w\" = \"weight\"\n", "m.toml:1: weight: another line has these rows too"},
      {"\"w\" = \"a[0/2]\"\n", "m.toml:1: a: no line has its rows 4 to 8"},
      {"\"w\" = \"a[0:3]\"\n", "m.toml:1: a[0:3] is given 4 rows"},
      {"\"w\" = \"a[0/2]\"\n\"weight\" = \"a[1/2]\"\n",
       "m.toml:1: a[1/2]: its rows are of another length or kind"},
      {"\"w[0/2]\" = \"a\"\n\"w^T[1/2]\" = \"b\"\n", "m.toml:1: w^T[1/2]: another line takes rows of w, now"},
  };
  Entries theirs = one("w", {4, 4});
  add(theirs, "weight", {4, 3});
  add(theirs, "n", {});
  for (const auto& [map, words] : cases) {
    CAPTURE(map, words);
    const auto read = [&, &text = map] { return NameMap::parse(text, "m.toml").to_ours(theirs); };
    REQUIRE_THROWS_AS(read(), ConfigError);
    CHECK_THROWS_WITH(read(), StartsWith(words));
  }
  CHECK_THROWS_AS(NameMap::read("/none.toml"), ConfigError);
}

TEST_CASE("the maps of docs/maps give PyTorch's names and shapes", "[training]") {
  Rng rng(1);
  const auto check_map = [](const std::string& file, auto module,
                            const std::map<std::string, Lengths>& expected) {
    INFO(file);
    Entries entries;
    add_model(entries, parameters(module), {});
    const Entries ours = entries.under("param/");
    const NameMap map = NameMap::read(FOVEA_SOURCE_DIR "/docs/maps/" + file);
    const Entries theirs = map.to_theirs(ours);
    std::map<std::string, Lengths> shapes;
    for (const Entry& entry : theirs.all()) shapes[entry.name] = entry.shape;
    CHECK(shapes == expected);
    check_equal(ours, map.to_ours(theirs));
  };
  check_map("multi_head.toml", MultiHead(4, 2, rng),
            {{"in_proj_weight", {12, 4}},
             {"in_proj_bias", {12}},
             {"out_proj.weight", {4, 4}},
             {"out_proj.bias", {4}}});
  check_map("separate_projections.toml", MultiHead(4, 2, rng),
            {{"q_proj.weight", {4, 4}},
             {"k_proj.weight", {4, 4}},
             {"v_proj.weight", {4, 4}},
             {"o_proj.weight", {4, 4}},
             {"q_proj.bias", {4}},
             {"k_proj.bias", {4}},
             {"v_proj.bias", {4}},
             {"o_proj.bias", {4}}});
  std::map<std::string, Lengths> lstm;
  for (const std::string end : {"l0", "l0_reverse", "l1", "l1_reverse"}) {
    lstm["weight_ih_" + end] = {12, end[1] == '0' ? 2u : 6u};
    lstm["weight_hh_" + end] = {12, 3};
    lstm["bias_ih_" + end] = lstm["bias_hh_" + end] = {12};
  }
  check_map("recurrent.toml", LSTM(2, 3, rng, {.layers = 2, .bidirectional = true}), lstm);
  std::map<std::string, Lengths> decoder;
  for (const std::string layer : {"layers.0.", "layers.1."}) {
    for (const std::string part : {"self_attn.", "multihead_attn."}) {
      decoder[layer + part + "in_proj_weight"] = {12, 4};
      decoder[layer + part + "in_proj_bias"] = {12};
      decoder[layer + part + "out_proj.weight"] = {4, 4};
      decoder[layer + part + "out_proj.bias"] = {4};
    }
    decoder[layer + "linear1.weight"] = {5, 4};
    decoder[layer + "linear1.bias"] = {5};
    decoder[layer + "linear2.weight"] = {4, 5};
    decoder[layer + "linear2.bias"] = {4};
    for (const std::string norm : {"norm1.", "norm2.", "norm3."})
      decoder[layer + norm + "weight"] = decoder[layer + norm + "bias"] = {4};
  }
  decoder["norm.weight"] = decoder["norm.bias"] = {4};
  check_map("transformer.toml", TransformerDecoder({.width = 4, .heads = 2, .inner = 5, .layers = 2}, rng),
            decoder);
}
