#include <csignal>
#include <cstring>
#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "training/checkpoint_file.hpp"
#include "training/file.hpp"
#include "training/folder.hpp"
#include "training/state.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

Label example_label() { return {"line", "lr = 0.5\n", {{"a.tsv", "0123"}, {"b.tsv", "4567"}}}; }
Position example_position() { return {12, 50, true, 0.25, {7, 0.5}, 9, 3, 1.5, 2}; }

Entries example_numbers() {
  Entries numbers;
  numbers.add("param/weight", {2, 3}, std::vector<float>{1, -2, 3, 0.1f, 1e-40f, -0.0f});
  numbers.add("param/empty", {0, 3}, std::vector<double>{});
  numbers.add("buffer/scale", {}, std::vector<double>{0.1});
  numbers.add("state/words", std::vector<std::string>{"", "ünit", std::string("a\0b", 3)});
  numbers.add_number("optimizer/steps", ~std::uint64_t{0});
  return numbers;
}

void require_same(const Entries& a, const Entries& b) {
  REQUIRE(a.all().size() == b.all().size());
  for (std::size_t i = 0; i < a.all().size(); ++i) {
    CHECK(a.all()[i].name == b.all()[i].name);
    CHECK(a.all()[i].shape == b.all()[i].shape);
    CHECK(a.all()[i].values.index() == b.all()[i].values.index());
    CHECK(checksum(a.all()[i]) == checksum(b.all()[i]));
  }
}

std::string error_of(const std::filesystem::path& path) {
  try {
    read_checkpoint(path);
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "no error";
}

std::string payload_claiming(std::uint64_t count) {
  Entries numbers;
  numbers.add("x", {3}, std::vector<float>{1, 2, 3});
  std::string bytes = numbers.pack();
  // endianness, count, length and text of the name, kind, rank, then the length of the only axis
  std::memcpy(bytes.data() + 1 + 8 + 8 + 1 + 1 + 8, &count, 8);
  return bytes;
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("a checkpoint holds what was written, bit for bit", "[training]") {
  const TemporaryFolder folder;
  write_checkpoint(folder / "x.fovea", example_label(), example_position(), example_numbers());
  const Checkpoint read = read_checkpoint(folder / "x.fovea");
  CHECK(read.label.task == "line");
  CHECK(read.label.config == "lr = 0.5\n");
  CHECK(read.label.data == example_label().data);
  CHECK(read.position == example_position());
  Entries found;
  for (const Entry& entry : read.entries.all()) {
    if (example_numbers().find(entry.name)) found.add(entry.name, entry.shape, entry.values);
  }
  require_same(found, example_numbers());
  CHECK(!has_temporary(folder.path));
}

TEST_CASE("a position without a best one stays so", "[training]") {
  const TemporaryFolder folder;
  write_checkpoint(folder / "x.fovea", example_label(), {}, {});
  CHECK(read_checkpoint(folder / "x.fovea").position == Position{});
}

TEST_CASE("any changed byte is noticed", "[training]") {
  const std::string good = envelope::wrap(envelope::checkpoint, example_numbers().pack());
  require_same(Entries::unpack(envelope::unwrap(envelope::checkpoint, good)), example_numbers());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {1, 0x80}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      INFO("byte " << i);
      CHECK_THROWS_AS(envelope::unwrap(envelope::checkpoint, bad), CheckpointError);
    }
  }
}

TEST_CASE("a file that is cut off anywhere, or goes on after its end, is refused", "[training]") {
  const std::string packed = example_numbers().pack(), whole = envelope::wrap(envelope::checkpoint, packed);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_THROWS_AS(envelope::unwrap(envelope::checkpoint, whole.substr(0, length)), CheckpointError);
  }
  for (std::size_t length = 0; length < packed.size(); ++length) {
    CHECK_THROWS_AS(Entries::unpack(packed.substr(0, length)), CheckpointError);
  }
  const TemporaryFolder folder;
  write(folder / "bad.fovea", whole + '\0');
  CHECK_THAT(error_of(folder / "bad.fovea"), Contains("1 bytes stand after its end"));
  write(folder / "bad.fovea", whole.substr(0, whole.size() - 1));
  CHECK_THAT(error_of(folder / "bad.fovea"), Contains("cut off") && Contains("bad.fovea"));
}

// Case cereal#103, with a header that fits, so that only the reader of entries stands in the way.
TEST_CASE("a size that the file does not cover allocates nothing", "[training]") {
  const long before = peak_kilobytes();
  const auto count =
      GENERATE(std::uint64_t{1} << 30, std::uint64_t{1} << 60, ~std::uint64_t{0}, std::uint64_t{4});
  const TemporaryFolder folder;
  write(folder / "x.fovea", envelope::wrap(envelope::checkpoint, payload_claiming(count)));
  CHECK_THAT(error_of(folder / "x.fovea"), Contains("where 12 bytes are left"));
  CHECK(peak_kilobytes() - before < 10000);
  std::string bytes = envelope::wrap(envelope::checkpoint, "abc");
  const std::uint64_t claimed = std::uint64_t{1} << 32;
  std::memcpy(bytes.data() + 16, &claimed, 8);
  write(folder / "x.fovea", bytes);
  CHECK_THAT(error_of(folder / "x.fovea"), Contains("4294967296 bytes are claimed"));
  CHECK(peak_kilobytes() - before < 10000);
}

TEST_CASE("entries that do not add up are refused", "[training]") {
  Entries numbers;
  numbers.add("x", {1}, std::vector<float>{1});
  const std::string good = numbers.pack();
  CHECK_NOTHROW(Entries::unpack(good));
  CHECK_THROWS_AS(Entries::unpack(""), CheckpointError);
  CHECK_THROWS_AS(Entries::unpack(good + "x"), CheckpointError);
  CHECK_THROWS_AS(Entries::unpack(payload_claiming(2)), CheckpointError);  // leaves 4 bytes over
  std::string bad = good;
  bad[1 + 8 + 8 + 1] = 9;  // the kind
  CHECK_THROWS_WITH(Entries::unpack(bad), Contains("no kind 9"));
  bad = good;
  bad[1 + 8 + 8 + 1 + 1] = 40;  // the number of axes
  CHECK_THROWS_AS(Entries::unpack(bad), CheckpointError);
  bad = good;
  bad[1] = 2;  // the number of entries
  CHECK_THROWS_AS(Entries::unpack(bad), CheckpointError);
}

TEST_CASE("a name in a file that reads like another error does not change the advice", "[training]") {
  Entries numbers;
  numbers.add("x", {1}, std::vector<float>{1});
  numbers.add("y reads up to", std::vector<std::string>{"z"});
  std::string bytes = numbers.pack();
  const std::size_t kind = bytes.find("reads up to") + 11;
  bytes[kind + 1] = 99;  // the number of axes
  const TemporaryFolder folder;
  write(folder / "x.fovea", envelope::wrap(envelope::checkpoint, bytes));
  CHECK_THAT(error_of(folder / "x.fovea"), Contains("y reads up to claims") && Contains("train again"));
}

// Cases cereal#340, flashlight#916.
TEST_CASE("a file of a newer version says so", "[training]") {
  const TemporaryFolder folder;
  write_checkpoint(folder / "x.fovea", example_label(), example_position(), example_numbers());
  std::string bytes = content(folder / "x.fovea");
  bytes[8] = 3;
  write(folder / "x.fovea", bytes);
  CHECK_THAT(error_of(folder / "x.fovea"),
             Contains("x.fovea: file is version 3, this program reads up to 1; use a newer fovea"));
}

TEST_CASE("other files are not taken for checkpoints", "[training]") {
  const TemporaryFolder folder;
  write(folder / "x.fovea", "PK\x03\x04 something else that is longer than a header");
  CHECK_THAT(error_of(folder / "x.fovea"), Contains("not a .fovea file"));
  write(folder / "x.fovea", "");
  CHECK_THAT(error_of(folder / "x.fovea"), Contains("not a .fovea file"));
  CHECK_THAT(error_of(folder / "none.fovea"), Contains("none.fovea") && Contains("No such file"));
  CHECK_THAT(error_of(folder.path), Contains("is a folder"));
  write(folder / "x.fovea", envelope::wrap(7, example_numbers().pack()));
  CHECK_THAT(error_of(folder / "x.fovea"), Contains("kind 7"));
}

// Written by version 0.1.0; a reader of any later version still reads it.
TEST_CASE("the first version stays readable", "[training]") {
  const Checkpoint read = read_checkpoint(FOVEA_SOURCE_DIR "/tests/training/golden/version1.fovea");
  CHECK(read.label.data == example_label().data);
  Position position = example_position();
  position.best_ties.clear();  // which it did not know
  CHECK(read.position == position);
  CHECK(read.entries.values<float>("param/weight") == std::vector<float>{1, -2, 3, 0.1f, 1e-40f, -0.0f});
  CHECK(read.entries.values<std::string>("state/words") ==
        std::vector<std::string>{"", "ünit", std::string("a\0b", 3)});
  CHECK(read.entries.number("optimizer/steps") == ~std::uint64_t{0});
}

TEST_CASE("a write that fails leaves the old file", "[training]") {
  const TemporaryFolder folder;
  write(folder / "x", "old");
  std::filesystem::create_directory(temporary_name(folder / "x"));  // stands in the way
  CHECK_THROWS_WITH(replace_file(folder / "x", "new"), Contains("cannot write"));
  CHECK(content(folder / "x") == "old");
  CHECK_THROWS_WITH(replace_file(folder / "none" / "x", "new"), Contains("No such file"));
}

TEST_CASE("a full disk leaves the old file and no other", "[training]") {
  const TemporaryFolder folder;
  write(folder / "x", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  CHECK_THROWS_WITH(replace_file(folder / "x", std::string(5000, 'n')), Contains("cannot write"));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(content(folder / "x") == "old");
  CHECK(!has_temporary(folder.path));
}

TEST_CASE("state is read back by name, and strictly", "[training]") {
  Entries entries;
  StateWriter writer(entries);
  writer("text", std::string("a"));
  writer("words", std::vector<std::string>{"b", "c"});
  writer("count", std::uint64_t{7});
  writer("mean", 0.5);
  writer("counts", std::vector<std::uint64_t>{1, 2});
  writer("means", std::vector<double>{});
  StateReader reader(entries);
  std::string text;
  std::vector<std::string> words;
  std::uint64_t count = 0;
  double mean = 0;
  std::vector<std::uint64_t> counts;
  std::vector<double> means{1};
  reader("words", words);
  reader("text", text);
  reader("count", count);
  reader("mean", mean);
  reader("counts", counts);
  CHECK_THROWS_WITH(reader.finish(), Contains("state/means"));
  reader("means", means);
  CHECK_NOTHROW(reader.finish());
  CHECK(text == "a");
  CHECK(words == std::vector<std::string>{"b", "c"});
  CHECK(count == 7);
  CHECK(mean == 0.5);
  CHECK(counts == std::vector<std::uint64_t>{1, 2});
  CHECK(means.empty());
  CHECK_THROWS_WITH(reader("other", text), Contains("state/other is missing"));
  CHECK_THROWS_WITH(reader("count", mean), Contains("u64"));
}
