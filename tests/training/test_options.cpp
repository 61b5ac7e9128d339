#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "training/config.hpp"
#include "training/options.hpp"
#include "training/text.hpp"

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;

namespace {

struct Example {
  bool flag = false;
  std::int64_t whole = -3;
  std::uint64_t count = 5;
  double real = 0.1;
  std::string text = "plain", kind = "dot";
  Options options;
  Example() {
    options.add("flag", flag, "a flag");
    options.add("whole", whole, "a whole number").between(-5, 5);
    options.add("count", count, "a count").at_least(1);
    options.add("real", real, "a number").above(0);
    options.add("text", text, "a text");
    options.add("kind", kind, "a kind").choices({"dot", "additive"});
  }
};

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a setting is read like a flag's value", "[training]") {
  Example example;
  example.options.set("flag", "true");
  example.options.set("whole", "-5");
  example.options.set("count", "9223372036854775807");
  example.options.set("real", "1e-3");
  example.options.set("text", "any \"thing\"\n");
  example.options.set("kind", "additive");
  CHECK(example.flag);
  CHECK(example.whole == -5);
  CHECK(example.count == 9223372036854775807u);
  CHECK(example.real == 1e-3);
  CHECK(example.kind == "additive");
}

TEST_CASE("a bad value is refused by what is allowed, and changes nothing", "[training]") {
  Example example;
  const auto say = [&](const char* name, const char* text) {
    return message([&] { example.options.set(name, text); });
  };
  CHECK(say("whole", "6") == "--whole: expected a whole number between -5 and 5, got \"6\"");
  CHECK(say("count", "0") == "--count: expected a whole number of at least 1, got \"0\"");
  CHECK(say("count", "-1") == "--count: expected a whole number of at least 1, got \"-1\"");
  CHECK(say("count", "3.5") == "--count: expected a whole number of at least 1, got \"3.5\"");
  CHECK(say("count", "12x") == "--count: expected a whole number of at least 1, got \"12x\"");
  CHECK(say("count", "") == "--count: expected a whole number of at least 1, got \"\"");
  CHECK(say("count", "99999999999999999999") ==
        "--count: expected a whole number of at least 1, got \"99999999999999999999\"");
  CHECK(say("real", "0") == "--real: expected a number above 0, got \"0\"");
  CHECK(say("real", "nan") == "--real: expected a number above 0, got \"nan\"");
  CHECK(say("real", "1e400") == "--real: expected a number above 0, got \"1e400\"");
  CHECK(say("real", "inf") == "--real: expected a number above 0, got \"inf\"");
  CHECK(say("flag", "maybe") == "--flag: expected true or false, got \"maybe\"");
  CHECK(say("kind", "aditive") ==
        "--kind: expected one of dot, additive, got \"aditive\"; did you mean \"additive\"?");
  CHECK(say("rael", "1") == "unknown option \"--rael\"; did you mean \"real\"?");
  CHECK(example.whole == -3);
  CHECK(example.count == 5);
  CHECK(example.real == 0.1);
  CHECK(example.kind == "dot");
}

TEST_CASE("TOML keys are the flags' names", "[training]") {
  Example example;
  example.options.read_toml("# comment\nflag = true\nwhole = 4\nreal = 2\ntext = 'a\\b'\n", "x.toml");
  CHECK(example.flag);
  CHECK(example.whole == 4);
  CHECK(example.real == 2);
  CHECK(example.text == "a\\b");
  CHECK(example.count == 5);
}

TEST_CASE("every error in TOML says where", "[training]") {
  Example example;
  const auto say = [&](const char* text) {
    return message([&] { example.options.read_toml(text, "x.toml"); });
  };
  CHECK(say("flag = true\n\ncoutn = 3\n") == "x.toml:3: unknown key \"coutn\"; did you mean \"count\"?");
  CHECK(say("\ncount = 0\n") == "x.toml:2: count: expected a whole number of at least 1, got \"0\"");
  CHECK_THAT(say("\ncount = 'a'\n"), StartsWith("x.toml:2: count: expected a whole number"));
  CHECK_THAT(say("text = 3\n"), StartsWith("x.toml:1: text: expected a text"));
  CHECK_THAT(say("count = [1]\n"), StartsWith("x.toml:1: count: expected"));
  CHECK_THAT(say("[train]\ncount = 1\n"), StartsWith("x.toml:1: unknown key \"train\""));
  CHECK_THAT(say("count = 1\ncount = 2\n"), StartsWith("x.toml:2:"));
  CHECK_THAT(say("flag = true\ncount = \n"), StartsWith("x.toml:2:"));
  CHECK_THAT(message([&] { example.options.read_toml_file("/nowhere/x.toml"); }),
             Contains("/nowhere/x.toml"));
}

TEST_CASE("what is written as TOML reads back to the same values", "[training]") {
  Example example, copy;
  example.real = 0.1 + 0.2;
  example.text = "a \"b\" \\ ü\n\x01";
  example.count = 7;
  example.flag = true;
  copy.options.read_toml(example.options.toml(), "copy");
  CHECK(copy.real == example.real);
  CHECK(copy.text == example.text);
  CHECK(copy.count == 7);
  CHECK(copy.flag);
  CHECK(copy.options.toml() == example.options.toml());
}

TEST_CASE("the settings of training hold together", "[training]") {
  TrainConfig config;
  Options options;
  config.describe(options);
  CHECK(options.toml().find("out =") == std::string::npos);
  TrainConfig copy;
  Options copied;
  copy.describe(copied);
  config.lr = 0.3;
  copied.read_toml(options.toml(), "copy");
  CHECK(copy.lr == 0.3);
  CHECK_THROWS_AS(config.describe(options), ConfigError);  // each name once
}

TEST_CASE("suggestions are near, or none", "[training]") {
  const std::vector<std::string> words{"batch-size", "epochs", "lr"};
  CHECK(suggestion("bacth-size", words) == "; did you mean \"batch-size\"?");
  CHECK(suggestion("batch", words) == "; did you mean \"batch-size\"?");
  CHECK(suggestion("epoch", words) == "; did you mean \"epochs\"?");
  CHECK(suggestion("abdc", std::vector<std::string>{"abxx", "abcd"}) == "; did you mean \"abcd\"?");
  CHECK(suggestion("attention", words).empty());
  CHECK(suggestion("x", {}).empty());
}

TEST_CASE("messages stay on one line", "[training]") {
  CHECK(one_line("a\nb\r\n  \tc\x1b[31m\n") == "a b   c[31m");
}

TEST_CASE("what could not be read back from a checkpoint is not taken", "[training]") {
  TrainConfig config;
  Options options;
  config.describe(options);
  CHECK_THROWS_AS(options.set("seed", "18446744073709551615"), ConfigError);
  CHECK_THROWS_WITH(options.set("out", "caf\xe9"), Catch::Contains("UTF-8"));
  options.set("seed", "9223372036854775807");
  TrainConfig again;
  Options reader;
  again.describe(reader);
  reader.read_toml(options.toml(), "test");
  CHECK(again.seed == 9223372036854775807u);
}
