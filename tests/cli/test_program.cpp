#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "training/checkpoint_file.hpp"

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;
using Json = nlohmann::json;

namespace {

// A folder with a trained model in it.
struct Trained : Shell {
  Trained() { REQUIRE(call({"train", "line", "--out", "run", "--epochs", "5"}).code == 0); }
  std::string best = "run/checkpoints/best.fovea";
};

}  // namespace

TEST_CASE("the program says what it is", "[cli]") {
  const Shell shell;
  const Result result = shell.call({"--version"});
  CHECK(result.code == 0);
  CHECK_THAT(result.out, StartsWith("fovea ") && Contains("f32") && Contains("kernels ") &&
                             Contains("BLAS ") && Contains("thread"));
  CHECK(result.err.empty());
  CHECK_THAT(shell.call({"list"}).out,
             StartsWith("line ") && Contains("--attention additive") && Contains("--rank N"));
  const Result help = shell.call({"train", "line", "--help"});
  CHECK(help.code == 0);
  CHECK_THAT(help.out, Contains("--batch-size") && Contains("--dropout") && Contains("0.02"));
  const Result what = shell.call({"train"});
  CHECK(what.code == 2);
  CHECK_THAT(what.err, Contains("line") && Contains("(fovea train --help tells more)"));
  const Result nothing = shell.call({});
  CHECK(nothing.code == 2);
  CHECK(nothing.out.empty());
}

TEST_CASE("evaluate prints metrics for people and as JSON", "[cli]") {
  const Trained shell;
  const Result text = shell.call({"evaluate", shell.best});
  CHECK(text.code == 0);
  CHECK_THAT(text.out, StartsWith("test split, 20 items\nerror  "));
  const Result json = shell.call({"evaluate", shell.best, "--json"});
  const Json metrics = Json::parse(json.out);
  CHECK(metrics.size() == 4);
  CHECK(metrics["split"] == "test");
  CHECK(metrics["items"] == 20);
  CHECK(metrics["root"].get<double>() == Approx(std::sqrt(metrics["error"].get<double>())));
  CHECK(json.err.empty());
  // On the validation split, the best checkpoint has the best value that was logged.
  const Json chosen =
      Json::parse(shell.call({"evaluate", shell.best, "--split", "validation", "--json"}).out);
  const Json inspected = Json::parse(shell.call({"inspect", shell.best, "--json"}).out);
  CHECK(chosen["error"] == inspected["best"]["value"]);
  CHECK(shell.call({"evaluate", shell.best, "--split", "valid"}).code == 2);
  CHECK(shell.call({"evaluate", shell.best, "--data", "other"}).code == 0);
  CHECK(shell.call({"evaluate", shell.best, "--data", "broken"}).code == 3);
}

TEST_CASE("predict answers line by line", "[cli]") {
  const Trained shell;
  const Result result = shell.call({"predict", shell.best, "--json"}, "0.5\r\n-1\n");
  CHECK(result.code == 0);
  CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 2);
  CHECK(Json::parse(result.out.substr(0, result.out.find('\n')))["y"].is_number());
  write(shell.folder / "lines", "1\n2\nthree\n");
  const Result bad = shell.call({"predict", shell.best, "lines"});
  CHECK(bad.code == 3);
  CHECK(bad.one_line());
  CHECK_THAT(bad.err, Contains("lines:3: \"three\" is not a number"));
  CHECK(shell.call({"predict", shell.best, "none"}).code == 3);
}

TEST_CASE("inspect shows parameters, settings and step", "[cli]") {
  const Trained shell;
  const Json object = Json::parse(shell.call({"inspect", shell.best, "--json"}).out);
  CHECK(object["task"] == "line");
  CHECK(object["config"]["epochs"] == 5);
  CHECK(object["config"]["shape"] == "plain");
  CHECK(object["step"].get<int>() % 7 == 0);
  const Json& hidden = object["parameters"]["hidden"];
  CHECK(hidden["shape"] == Json({6, 3}));
  CHECK(hidden["count"] == 18);
  const Checkpoint stored = read_checkpoint(shell.folder / shell.best);
  CHECK(hidden["xxh3"] == checksum(stored.entries.at("param/hidden")));
  CHECK(hidden["xxh3"] != object["parameters"]["out"]["xxh3"]);
  CHECK(object["parameters"].size() == 3);
  CHECK(object["buffers"].contains("scale"));
  CHECK_THAT(shell.call({"inspect", shell.best}).out, Contains("hidden") && Contains("30 parameters"));
}

TEST_CASE("a checkpoint that cannot be used is one clear error", "[cli]") {
  const Trained shell;
  std::string bytes = content(shell.folder / shell.best);
  bytes[bytes.size() / 2] ^= 1;
  write(shell.folder / "bad.fovea", bytes);
  for (const char* command : {"evaluate", "predict", "inspect"}) {
    for (const char* file : {"bad.fovea", "none.fovea"}) {
      const Result result = shell.call({command, file});
      CHECK(result.code == 4);
      CHECK(result.one_line());
      CHECK_THAT(result.err, Contains(file));
    }
  }
}

TEST_CASE("gradcheck runs in double", "[cli]") {
  const Shell shell;
  const Result result = shell.call({"gradcheck", "line"});
  INFO(result.out << result.err);
  CHECK(result.code == 0);
  CHECK_THAT(result.out, Contains("hidden") && Contains("out"));
}

TEST_CASE("a result that cannot be written is an error", "[cli]") {
  const Trained shell;
  const Result result = shell.call({"inspect", shell.best}, "", "/dev/full");
  CHECK(result.code == 1);
  CHECK(result.one_line());
}

TEST_CASE("a checkpoint's arrays are exported, and read back the same", "[cli]") {
  const Trained shell;
  const Result exported = shell.call({"export", shell.best, "-o", "x.safetensors"});
  INFO(exported.err);
  REQUIRE(exported.code == 0);
  const Json before = Json::parse(shell.call({"inspect", shell.best, "--json"}).out);
  const Json after = Json::parse(shell.call({"inspect", "x.safetensors", "--json"}).out);
  for (const auto& [path, facts] : before["parameters"].items()) CHECK(after["parameters"][path] == facts);
  CHECK(after["parameters"].size() == before["parameters"].size() + before["buffers"].size());
  CHECK_THAT(shell.call({"inspect", "x.safetensors"}).out, Contains("parameters\n"));
  const Result ending = shell.call({"export", shell.best, "-o", "x.bin"});
  CHECK(ending.code == 2);
  CHECK_THAT(ending.err, Contains(".safetensors"));
  write(shell.folder / "bad.safetensors", "short");
  const Result bad = shell.call({"inspect", "bad.safetensors"});
  CHECK(bad.code == 3);
  CHECK_THAT(bad.err, Contains("bad.safetensors: the file ends before"));
}
