#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "training/config.hpp"
#include "training/folder.hpp"
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
  CHECK(say("rael", "1") == "unknown option \"--rael\"; did you mean \"--real\"?");
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

TEST_CASE("settings go back to what they were, tables and what was given included", "[training]") {
  TrainConfig config;
  Options options;
  config.describe(options);
  config.groups = {{.glob = "a", .rate = 2}};
  const std::string before = options.toml();
  const auto restore = options.restorer();
  options.read_toml("freeze = ['b']\n[[groups]]\npath = 'c'\n", "x.toml");
  options.set("out", "elsewhere");
  options.set("lr-floor", "0");  // means nothing beside the constant schedule
  CHECK_THROWS_AS(options.check_used(), ConfigError);
  restore();
  CHECK(options.toml() == before);
  CHECK(config.out.empty());
  CHECK_NOTHROW(options.check_used());
}

TEST_CASE("lists and tables are read, written, and read again", "[training]") {
  TrainConfig config, copy;
  Options options, copied;
  config.describe(options);
  copy.describe(copied);
  const std::string text =
      "freeze = ['encoder.*', \"a\"]\n[[groups]]\npath = \"out.*\"\nrate = 0.1\n"
      "[[groups]]\npath = 'b'\ndecay = 0\n";
  options.read_toml(text, "x.toml");
  CHECK(config.freeze == std::vector<std::string>{"encoder.*", "a"});
  REQUIRE(config.groups.size() == 2);
  CHECK(config.groups[0] == ParamGroup{"out.*", 0.1, {}, false});
  CHECK(config.groups[1] == ParamGroup{"b", 1, 0.0, false});
  CHECK(options.find("freeze")->value() == "encoder.*,a");
  CHECK(options.find("groups")->value() == "out.* (rate 0.1), b (rate 1, decay 0)");
  copied.read_toml(options.toml(), "copy");
  CHECK(copy.freeze == config.freeze);
  CHECK(copy.groups == config.groups);
  CHECK(copied.toml() == options.toml());
  options.set("freeze", "c,d.?");
  CHECK(config.freeze == std::vector<std::string>{"c", "d.?"});
  const auto all = config.all_groups();
  REQUIRE(all.size() == 4);
  CHECK(all[3] == ParamGroup{"d.?", 1, {}, true});
  options.set("freeze", "");
  CHECK(config.freeze.empty());
}

TEST_CASE("lists and tables that cannot be are refused with their place", "[training]") {
  TrainConfig config;
  Options options;
  config.describe(options);
  const auto say = [&](const char* text) { return message([&] { options.read_toml(text, "x.toml"); }); };
  CHECK(say("\nfreeze = 'a'\n") == "x.toml:2: freeze: expected an array of texts, got a text");
  CHECK_THAT(say("freeze = ['a', 3]\n"), StartsWith("x.toml:1: freeze: expected an array of texts"));
  CHECK_THAT(say("freeze = ['']\n"), StartsWith("x.toml:1: freeze: expected an array of texts"));
  CHECK_THAT(say("groups = 3\n"), StartsWith("x.toml:1: groups: expected tables with path, rate and decay"));
  CHECK_THAT(say("groups = [3]\n"), StartsWith("x.toml:1: groups: expected tables with path"));
  CHECK(say("[[groups]]\nrate = 1\n") == "x.toml:1: groups: path is missing");
  CHECK(say("[[groups]]\npath = 'a'\nraet = 1\n") ==
        "x.toml:3: unknown key \"raet\"; did you mean \"rate\"?");
  CHECK_THAT(say("[[groups]]\npath = 'a'\nrate = -1\n"), StartsWith("x.toml:3: rate: expected a number"));
  options.set("freeze", "\"a,b\",c,\"d\"\"e\"");
  CHECK(config.freeze == std::vector<std::string>{"a,b", "c", "d\"e"});
  CHECK(options.find("freeze")->value() == "\"a,b\",c,\"d\"\"e\"");
  config.freeze.clear();
  CHECK_THAT(message([&] { options.set("freeze", "\"a"); }), Contains("separated by commas"));
  CHECK_THAT(message([&] { options.set("freeze", "a,,b"); }), Contains("separated by commas"));
  CHECK_THAT(message([&] { options.set("freeze", "a,"); }), Contains("separated by commas"));
  CHECK_THAT(message([&] { options.set("groups", "a"); }), Contains("--groups: expected tables"));
  CHECK(config.freeze.empty());
  CHECK(config.groups.empty());
}

TEST_CASE("a setting that the chosen schedule does not use is refused", "[training]") {
  const auto say = [](std::vector<std::pair<std::string, std::string>> flags, const std::string& file = "") {
    TrainConfig config;
    config.warmup = 5;  // a task's own default
    Options options;
    config.describe(options);
    if (!file.empty()) options.read_toml(file, "x.toml");
    for (const auto& [name, text] : flags) options.set(name, text);
    return message([&] { options.check_used(); });
  };
  const std::string fine = "no error";
  CHECK(say({}) == fine);
  CHECK(say({{"lr-floor", "0.1"}}) ==
        "[settings] --lr-floor is for --schedule cosine, not constant; leave it out");
  CHECK(say({{"lr-floor", "0.1"}, {"schedule", "cosine"}}) == fine);
  CHECK_THAT(say({{"lr-factor", "0.1"}, {"schedule", "cosine"}}), Contains("step, plateau"));  // its default
  CHECK_THAT(say({}, "lr-rise = 0.2"), Contains("--lr-rise is for --schedule one_cycle"));
  CHECK(say({}, "lr-rise = 0.3") == fine);  // a run's own config.toml names every setting
  CHECK(say({{"schedule", "one_cycle"}}) == fine);
  CHECK_THAT(say({{"schedule", "one_cycle"}, {"warmup", "5"}}), Contains("--warmup"));
  for (const char* name : {"step-every", "plateau-patience", "plateau-threshold"})
    CHECK_THAT(say({{name, "7"}}), Contains(name));
}

TEST_CASE("the settings that the guide shows are settings", "[training]") {
  const std::string guide = content(FOVEA_SOURCE_DIR "/docs/guide.md");
  std::size_t blocks = 0;
  for (std::size_t begin = 0; (begin = guide.find("```toml\n", begin)) != std::string::npos; ++blocks) {
    begin += 8;
    TrainConfig config;
    Options options;
    config.describe(options);
    options.read_toml(guide.substr(begin, guide.find("\n```", begin) - begin), "guide");
    options.check_used();
    CHECK(config.groups.size() + config.freeze.size() > 0);
  }
  CHECK(blocks == 1);
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
