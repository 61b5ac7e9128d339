#include <cmath>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "training/arrays.hpp"
#include "training/diff.hpp"
#include "training/npy.hpp"
#include "training/zip.hpp"

using namespace fovea;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
using Json = nlohmann::json;

namespace {

// Two trained models of one task.
struct Trained : Shell {
  Trained() {
    REQUIRE(call({"train", "line", "--out", "run", "--epochs", "3"}).code == 0);
    REQUIRE(call({"train", "line", "--out", "other", "--epochs", "3", "--lr", "0.05"}).code == 0);
  }
  std::string best = "run/checkpoints/best.fovea", last = "run/checkpoints/last.fovea",
              other = "other/checkpoints/best.fovea";

  Entries arrays(const std::string& file) const { return read_arrays(folder / file).read; }
  // A checkpoint that belongs to no run.
  std::string copied(const std::string& checkpoint) const {
    std::filesystem::copy_file(folder / checkpoint, folder / "copy.fovea");
    return "copy.fovea";
  }
  Result refused(const std::vector<std::string>& words, int code) const {
    Result result = call(words);
    INFO(result.err);
    CHECK(result.code == code);
    CHECK(result.one_line());
    return result;
  }
};

}  // namespace

TEST_CASE("arrays are exported by the ending of the file", "[cli]") {
  const Trained shell;
  for (const std::string file : {"x.npz", "x.safetensors"}) {
    const Result exported = shell.call({"export", shell.best, "-o", file});
    CHECK(exported.code == 0);
    CHECK(exported.err == "4 arrays in " + file + "\n");
    CHECK(differences(shell.arrays(shell.best), shell.arrays(file)).empty());
    const Result same = shell.call({"inspect", shell.best, file});
    CHECK(same.code == 0);
    CHECK(same.out == "all 4 entries are equal\n");
  }
  CHECK_THAT(shell.refused({"export", shell.best, "-o", "x.npy"}, 2).err,
             Contains("x.npy has an unknown ending; expected .safetensors or .npz; did you mean \".npz\"?"));
  CHECK_THAT(shell.refused({"export", shell.best, "-o", "x"}, 2).err, Contains("x has no ending"));
  CHECK_THAT(shell.refused({"import", "x.pt", "--into", shell.best, "-o", "y.fovea"}, 2).err,
             Contains("x.pt has an unknown ending; expected .safetensors, .npz or .fovea"));
}

TEST_CASE("import puts a file's arrays in place of a checkpoint's", "[cli]") {
  const Trained shell;
  const std::string measured = shell.call({"evaluate", shell.best, "--json"}).out;
  shell.call({"export", shell.best, "-o", "x.npz"});
  for (const std::string& from : {std::string("x.npz"), shell.best}) {
    const Result imported = shell.call({"import", from, "--into", shell.other, "-o", "new.fovea"});
    INFO(imported.err);
    CHECK(imported.code == 0);
    CHECK(imported.out.empty());
    CHECK(shell.call({"inspect", "new.fovea", "x.npz"}).code == 0);
    CHECK(shell.call({"evaluate", "new.fovea", "--json"}).out == measured);
    CHECK(shell.call({"predict", "new.fovea"}, "1\n").code == 0);
  }
  // What training knew is not there, and the settings are those of the checkpoint.
  const Checkpoint made = read_checkpoint(shell.folder / "new.fovea");
  const Checkpoint into = read_checkpoint(shell.folder / shell.other);
  CHECK(made.label.config == into.label.config);
  CHECK(made.position == Position{.items = into.position.items});
  CHECK(made.entries.under("optimizer/").all().empty());
  CHECK(differences(made.entries.under("state/"), into.entries.under("state/")).empty());
  CHECK_FALSE(into.entries.under("state/").all().empty());

  // Without -o the checkpoint itself.
  const std::string copy = shell.copied(shell.other);
  CHECK(shell.call({"import", "x.npz", "--into", copy}).code == 0);
  CHECK(shell.call({"inspect", copy, "x.npz"}).code == 0);
}

TEST_CASE("import into averaged weights drops those that they are averages of", "[cli]") {
  const Trained shell;
  REQUIRE(shell.call({"train", "line", "--out", "averaged", "--ema", "0.5", "--epochs", "1"}).code == 0);
  const std::string averaged = "averaged/checkpoints/last.fovea";
  REQUIRE_FALSE(read_checkpoint(shell.folder / averaged).entries.under("weights/").all().empty());
  CHECK(shell.call({"import", shell.best, "--into", averaged, "-o", "new.fovea"}).code == 0);
  CHECK(read_checkpoint(shell.folder / "new.fovea").entries.under("weights/").all().empty());
}

TEST_CASE("import replaces a run's checkpoint only when it is told to", "[cli]") {
  const Trained shell;
  shell.call({"export", shell.other, "-o", "x.npz"});
  std::filesystem::create_symlink("run/checkpoints", shell.folder / "elsewhere");
  const std::string before = content(shell.folder / shell.last);
  for (const std::string& last :
       {shell.last, (shell.folder / shell.last).string(), std::string("run/checkpoints/./last.fovea"),
        std::string("elsewhere/last.fovea")}) {
    const Result refused = shell.refused({"import", "x.npz", "--into", last}, 2);
    CHECK_THAT(refused.err, Contains(last + " belongs to a run") && Contains("-o NEW.fovea"));
  }
  CHECK(content(shell.folder / shell.last) == before);
  // No training goes on from what is imported.
  std::filesystem::remove(shell.folder / shell.best);
  CHECK(shell.call({"import", "x.npz", "--into", shell.last, "-o", shell.last}).code == 0);
  CHECK_THAT(shell.refused({"train", "line", "--out", "run", "--resume"}, 4).err,
             Contains("weights were imported") && Contains("start another run"));
}

TEST_CASE("arrays of types that are not read are listed, and refused where one is needed", "[cli]") {
  const Trained shell;
  std::vector<ZipMember> members;
  const Entries trained = shell.arrays(shell.best);
  for (const Entry& entry : trained.all()) {
    if (entry.name != "scale") members.push_back({entry.name + ".npy", write_npy(entry)});
  }
  std::string counter = write_npy({"", {}, std::vector<double>{3}});
  counter.replace(counter.find("<f8"), 3, "<i8");
  const auto with = [&](const std::string& name) {
    std::vector<ZipMember> all = members;
    all.push_back({name + ".npy", counter});
    return write_zip(all);
  };
  write(shell.folder / "x.npz", with("batches"));
  write(shell.folder / "y.npz", with("scale"));
  write(shell.folder / "map.toml", "\"batches\" = \"\"\n");
  const auto import = [&](const std::string& file, std::vector<std::string> more) {
    more.insert(more.begin(), {"import", file, "--into", shell.other, "-o", "new.fovea"});
    return more;
  };
  CHECK_THAT(shell.refused(import("x.npz", {}), 4).err,
             Contains("missing: scale; batches is of <i8, which is not read; --map FILE"));
  CHECK_THAT(
      shell.refused(import("y.npz", {}), 4).err,
      StartsWith("fovea: y.npz does not fit " + shell.other + "; scale is of <i8, which is not read;"));
  CHECK(shell.call(import("x.npz", {"--match", "h*"})).code == 0);
  CHECK(shell.call(import("x.npz", {"--match", "h*", "--match", "b*", "--map", "map.toml"})).code == 0);
  CHECK_THAT(shell.refused(import("x.npz", {"--map", "map.toml"}), 4).err,
             Contains("missing: scale; --map FILE"));

  const std::string table = shell.call({"inspect", "x.npz"}).out;
  CHECK_THAT(table, Contains("30 parameters\nbatches ") && EndsWith("  is of <i8, not read\n"));
  const Json object = Json::parse(shell.call({"inspect", "x.npz", "--json"}).out);
  CHECK(object["parameters"].size() == 3);
  CHECK(object["unread"]["batches"]["kind"] == "<i8");
  CHECK(object["unread"]["batches"]["shape"] == Json::array());
  CHECK(object["unread"]["batches"]["count"] == 1);
  CHECK(shell.call({"inspect", "x.npz", "x.npz"}).code == 0);
  counter.back() = 1;
  write(shell.folder / "z.npz", with("batches"));
  const Result differ = shell.call({"inspect", "x.npz", "z.npz"});
  CHECK(differ.code == 1);
  CHECK_THAT(differ.out, StartsWith("batches  <i8 [] ") && EndsWith("\n1 of 4 entries differ\n"));
}

TEST_CASE("import warns of values that are not finite", "[cli]") {
  const Trained shell;
  Entries arrays;
  const Entries trained = shell.arrays(shell.best);
  for (const Entry& entry : trained.all()) {
    auto values = std::get<std::vector<float>>(entry.values);
    if (entry.name == "hidden") values[3] = values[5] = NAN;
    if (entry.name == "bias") values[0] = -INFINITY;
    arrays.add(entry.name, entry.shape, values);
  }
  write_arrays(shell.folder / "x.npz", arrays);
  const Result imported = shell.call({"import", "x.npz", "--into", shell.other, "-o", "new.fovea"});
  CHECK(imported.code == 0);
  CHECK_THAT(imported.err, StartsWith("warning: x.npz holds values that are not finite: ") &&
                               Contains("hidden (2 of 18)") && Contains("bias (1 of 6)") &&
                               EndsWith("\nimported x.npz into new.fovea\n"));
  const Result part =
      shell.call({"import", "x.npz", "--into", shell.other, "-o", "new.fovea", "--match", "out"});
  CHECK(part.err == "imported x.npz into new.fovea\n");
}

TEST_CASE("a file of arrays in place of a checkpoint is told what import is for", "[cli]") {
  const Trained shell;
  for (const std::string file : {"x.npz", "x.safetensors"}) {
    shell.call({"export", shell.best, "-o", file});
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"evaluate", file}, {"train", "line", "--out", "new", "--init-from", file}})
      CHECK_THAT(shell.refused(words, 4).err, Contains(file + " holds arrays alone; `fovea import " + file +
                                                       " --into CKPT -o NEW.fovea`"));
  }
  CHECK_THAT(shell.refused({"evaluate", "none.npz"}, 4).err, Contains("No such file"));
}

TEST_CASE("inspect of many arrays takes time in proportion", "[cli]") {
  const Shell shell;
  const auto seconds = [&](std::size_t count) {
    Entries arrays;
    for (std::size_t i = 0; i < count; ++i) arrays.add(join("array", i), {1}, std::vector<float>{1});
    write_arrays(shell.folder / "x.safetensors", arrays);
    rusage before{}, after{};
    ::getrusage(RUSAGE_CHILDREN, &before);
    CHECK(shell.call({"inspect", "x.safetensors", "--json"}).code == 0);
    ::getrusage(RUSAGE_CHILDREN, &after);
    const auto of = [](const rusage& used) {
      return static_cast<double>(used.ru_utime.tv_sec) + static_cast<double>(used.ru_utime.tv_usec) * 1e-6;
    };
    return of(after) - of(before);
  };
  const double some = seconds(4000);
  CHECK(seconds(32000) < 24 * some);  // 8 times are in proportion; when all paths are compared it is 64
}

TEST_CASE("import converts to the kind of the checkpoint", "[cli]") {
  const Trained shell;
  const Entries trained = shell.arrays(shell.best);
  Entries twice;
  for (const Entry& entry : trained.all()) {
    const auto& values = std::get<std::vector<float>>(entry.values);
    twice.add(entry.name, entry.shape, std::vector<double>(values.begin(), values.end()));
  }
  write_arrays(shell.folder / "twice.npz", twice);
  CHECK(shell.call({"import", "twice.npz", "--into", shell.other, "-o", "new.fovea"}).code == 0);
  CHECK(shell.call({"inspect", shell.best, "new.fovea", "--json"}).code == 1);  // step, optimiser
  CHECK(differences(trained, shell.arrays("new.fovea")).empty());
  const Result kinds = shell.call({"inspect", "twice.npz", "new.fovea"});
  CHECK(kinds.code == 1);
  CHECK_THAT(kinds.out, Contains("f64 → f32\n") && EndsWith("4 of 4 entries differ\n"));

  Entries large;
  for (const Entry& entry : twice.all()) {
    auto values = std::get<std::vector<double>>(entry.values);
    if (entry.name == "bias") values = {INFINITY, NAN, -1e300, 0, 0, 0};
    large.add(entry.name, entry.shape, values);
  }
  write_arrays(shell.folder / "large.npz", large);
  CHECK_THAT(shell.refused({"import", "large.npz", "--into", shell.other, "-o", "large.fovea"}, 4).err,
             Contains("bias holds -1e+300, which is too large for f32"));
}

TEST_CASE("an import that does not fit lists all faults and writes nothing", "[cli]") {
  const Trained shell;
  Entries arrays = shell.arrays(shell.best), wrong;
  for (const Entry& entry : arrays.all()) {
    if (entry.name == "bias")
      wrong.add("more", entry.shape, entry.values);
    else if (entry.name == "out")
      wrong.add("out", {6, 1}, entry.values);
    else
      wrong.add(entry.name, entry.shape, entry.values);
  }
  write_arrays(shell.folder / "wrong.npz", wrong);
  const std::string mine = shell.copied(shell.best), before = content(shell.folder / mine);
  const std::string faults = shell.refused({"import", "wrong.npz", "--into", mine}, 4).err;
  CHECK_THAT(faults,
             StartsWith("fovea: wrong.npz does not fit " + mine +
                        "; missing: bias; unexpected: more; out is [6, 1] in the file and [1, 6] here"));
  CHECK_THAT(faults, Contains("--map") && Contains("--match"));
  CHECK(content(shell.folder / mine) == before);

  const Result part = shell.call({"import", "wrong.npz", "--into", shell.other, "-o", "part.fovea", "--match",
                                  "hid*", "--match", "scale"});
  INFO(part.err);
  CHECK(part.code == 0);
  const Entries made = shell.arrays("part.fovea"), into = shell.arrays(shell.other);
  CHECK(checksum(made.at("hidden")) == checksum(arrays.at("hidden")));
  CHECK(checksum(made.at("hidden")) != checksum(into.at("hidden")));
  CHECK(checksum(made.at("out")) == checksum(into.at("out")));
  CHECK_THAT(shell.refused({"import", "wrong.npz", "--into", mine, "--match", "hiden"}, 2).err,
             Contains("\"hiden\" fits no path of " + mine + "; did you mean \"hidden\"?"));
  CHECK_THAT(shell.refused({"import", "wrong.npz", "--into", mine, "-o", "x.npz"}, 2).err,
             Contains("x.npz has another ending than .fovea"));
  CHECK(shell.refused({"import", "none.npz", "--into", mine}, 3).err.find("none.npz") != std::string::npos);
  write(shell.folder / "bad.npz", "PK");
  CHECK_THAT(shell.refused({"import", "bad.npz", "--into", mine}, 3).err, Contains("bad.npz: it is no ZIP"));
  CHECK(shell.refused({"import", shell.best, "--into", "bad.npz", "-o", "y.fovea"}, 4).code == 4);
  CHECK(content(shell.folder / mine) == before);
}

TEST_CASE("a map serves export and import", "[cli]") {
  const Trained shell;
  write(shell.folder / "map.toml",
        "\"rnn.W^T\" = \"hidden\"\n\"rnn.head[0]\" = \"out[0]\"\n\"rnn.*\" = \"*\"\n");
  CHECK(shell.call({"export", shell.best, "-o", "x.npz", "--map", "map.toml"}).code == 0);
  const Entries theirs = shell.arrays("x.npz");
  REQUIRE(theirs.all().size() == 4);
  CHECK(theirs.at("rnn.W").shape == std::vector<std::uint64_t>{3, 6});
  CHECK(theirs.at("rnn.head").shape == std::vector<std::uint64_t>{1, 6});
  CHECK(theirs.find("rnn.bias") != nullptr);
  CHECK(shell.call({"import", "x.npz", "--into", shell.other, "-o", "new.fovea", "--map", "map.toml"}).code ==
        0);
  CHECK(differences(shell.arrays(shell.best), shell.arrays("new.fovea")).empty());
  CHECK_THAT(shell.refused({"import", "x.npz", "--into", shell.other, "-o", "y.fovea"}, 4).err,
             Contains("missing: bias, hidden, out, scale; unexpected: rnn."));
  write(shell.folder / "bad.toml", "\n\"rnn.V\" = \"hidden\"\n");
  CHECK_THAT(
      shell.refused({"import", "x.npz", "--into", shell.other, "-o", "y.fovea", "--map", "bad.toml"}, 2).err,
      StartsWith("fovea: bad.toml:2: there is no array \"rnn.V\"; did you mean \"rnn.W\"?"));
  CHECK(shell.refused({"export", shell.best, "-o", "y.npz", "--map", "none.toml"}, 2).code == 2);
}

TEST_CASE("inspect of two files tells what differs", "[cli]") {
  const Trained shell;
  const Result equal = shell.call({"inspect", shell.best, shell.best});
  CHECK(equal.code == 0);
  CHECK_THAT(equal.out, StartsWith("all ") && EndsWith(" entries are equal\n"));

  const Result differ = shell.call({"inspect", shell.best, shell.other});
  CHECK(differ.code == 1);
  CHECK(differ.err.empty());
  for (const char* name : {"param/hidden ", "optimizer/hidden/first ", "position/best "})
    CHECK_THAT(differ.out, Contains(name));
  CHECK_THAT(differ.out, Contains("config/lr") && Contains("  0.02 → 0.05\n"));
  CHECK_THAT(differ.out, !Contains("config/epochs") && !Contains("state/"));

  Entries arrays = shell.arrays(shell.best), changed;
  for (const Entry& entry : arrays.all()) {
    if (entry.name == "out") continue;
    auto values = std::get<std::vector<float>>(entry.values);
    if (entry.name == "hidden") {
      values[4] = 1;
      values[16] = -2;
    }
    changed.add(entry.name == "scale" ? "factor" : entry.name, entry.shape, values);
  }
  changed.add("out", {6}, std::get<std::vector<float>>(arrays.at("out").values));
  write_arrays(shell.folder / "x.npz", changed);
  const Result json = shell.call({"inspect", shell.best, "x.npz", "--json"});
  CHECK(json.code == 1);
  const Json object = Json::parse(json.out);
  CHECK(object["equal"] == false);
  CHECK(object["entries"] == 5);
  const Json& list = object["differences"];
  REQUIRE(list.size() == 4);
  CHECK(list[0]["name"] == "hidden");
  CHECK(list[0]["count"] == 18);
  CHECK(list[0]["differing"] == 2);
  CHECK(list[0]["first"]["index"] == Json({1, 1}));
  CHECK(list[0]["first"]["values"][1] == "1");
  const auto& hidden = std::get<std::vector<float>>(arrays.at("hidden").values);
  const double largest = std::max(std::abs(hidden[4] - 1.0), std::abs(hidden[16] + 2.0));
  CHECK(list[0]["largest_absolute"].get<double>() == Approx(largest));
  CHECK(list[1]["name"] == "out");
  CHECK(list[1]["shape"] == Json::parse("[[1, 6], [6]]"));
  CHECK_FALSE(list[1].contains("differing"));
  CHECK(list[2] == Json{{"name", "scale"}, {"only_in", shell.best}});
  CHECK(list[3] == Json{{"name", "factor"}, {"only_in", "x.npz"}});
  const std::string text = shell.call({"inspect", shell.best, "x.npz"}).out;
  CHECK_THAT(text, StartsWith("hidden  2 of 18 values differ, by up to ") && Contains(", first [1, 1]: "));
  CHECK_THAT(text, Contains("\nout     shape [1, 6] → [6]\nscale   only in " + shell.best));
  CHECK_THAT(text, EndsWith("\n4 of 5 entries differ\n"));

  CHECK(shell.refused({"inspect", shell.best, "none.fovea"}, 4).code == 4);
  CHECK(shell.refused({"inspect", shell.best, "none.npz"}, 3).code == 3);
  CHECK_THAT(shell.call({"inspect", "--help"}).out, Contains("1 when they differ"));
}
