#include <catch2/catch.hpp>

#include "examples/delimited.hpp"

using namespace fovea;
using Catch::StartsWith;

namespace {

using Rows = std::vector<std::vector<std::string>>;

// Header and rows.
Rows read(const std::string& text, TableFormat format) {
  Delimited table(text, "f", format);
  Rows rows{table.columns()};
  while (table.next()) {
    rows.emplace_back();
    for (std::size_t i = 0; i < table.columns().size(); ++i) rows.back().emplace_back(table.field(i));
  }
  return rows;
}

constexpr TableFormat any{0, true};

}  // namespace

TEST_CASE("a table is read, whatever writes it", "[examples]") {
  const Rows rows{{"time", "x"}, {"1", "2,5"}, {"3", ""}};
  CHECK(read("time;x\n1;2,5\n3;\n", any) == rows);
  CHECK(read("\xEF\xBB\xBFtime;x\r\n1;2,5\r\n3;\r\n\r\n", any) == rows);
  CHECK(read("time\tx\n1\t2,5\n3\t", any) == rows);
  CHECK(read("\"time\",\"x\"\n1,\"2,5\"\n3,\"\"", any) == rows);
  CHECK(read("\"a;b\",c,d\n1;2,3,4", any) == Rows{{"a;b", "c", "d"}, {"1;2", "3", "4"}});
  CHECK(read("a,b\n\"x\"\"y\",\"\"\"\"\n", any) == Rows{{"a", "b"}, {"x\"\"y", "\"\""}});
  CHECK(read("\"a \"\"b\"\"\",c\n1,2\n", any) == Rows{{"a \"b\"", "c"}, {"1", "2"}});
  CHECK(read("one\n1\n", any) == Rows{{"one"}, {"1"}});
  CHECK(read("a\tb\n\"x\t5\" y\n", {}) == Rows{{"a", "b"}, {"\"x", "5\" y"}});  // no quotes there
}

TEST_CASE("what is no table says where", "[examples]") {
  std::string wide = "0";  // far wider, it would take hours to see that no two columns have the same name
  for (std::size_t i = 1; i <= most_columns; ++i) wide += "," + std::to_string(i);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "f:1:1: the file is empty"},
      {"\n\n", "f:1:1: the file is empty"},
      {wide + "\n", "f:1:48891: the header names 10001 columns; at most 10000"},
      {"a,b,a\n", "f:1:5: the column \"a\" is named twice"},
      {"a,b\n1,2\n\n3,4", "f:3:1: the row has 1 fields; the header names 2"},
      {"a,b\n1,2,3", "f:2:5: the row has 3 fields"},
      {"a,b\né,\"2", "f:2:3: a quote is opened and not closed"},
      {"a,b\n\"1\"\"", "f:2:1: a quote is opened and not closed"},
      {"a,b\n\"1\"x,2", "f:2:4: there is text after a closed quote"},
      {"a,b\n1,\xff", "f:2:3: the bytes here are not UTF-8"},
  };
  for (const auto& [text, words] : cases) {
    CAPTURE(text);
    REQUIRE_THROWS_AS(read(text, any), DataError);
    CHECK_THROWS_WITH(read(text, any), StartsWith(words));
  }
}
