#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "cli/page.hpp"
#include "cli/tensorboard/decoded.hpp"
#include "cli/tensorboard/records.hpp"
#include "events.pb.h"
#include "report/colours.hpp"
#include "report/room.hpp"
#include "report/unpacked.hpp"

using namespace fovea;

namespace {

// The events of a file, whose records have to be whole.
std::vector<events::Event> events_of(const std::filesystem::path& file) {
  const std::string bytes = content(file);
  std::vector<events::Event> all;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t length = 0;
    REQUIRE(bytes.size() - at > 16);
    std::memcpy(&length, bytes.data() + at, sizeof length);
    REQUIRE(length <= bytes.size() - at - 16);
    const std::string payload = bytes.substr(at + 12, length), whole = events::record(payload);
    REQUIRE(bytes.substr(at, whole.size()) == whole);
    at += whole.size();
    REQUIRE(all.emplace_back().ParseFromString(payload));
  }
  return all;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("records have the checksums that readers expect", "[cli]") {
  CHECK(events::crc32c("") == 0);
  CHECK(events::crc32c("123456789") == 0xe3069283);            // the check value of CRC-32C
  CHECK(events::crc32c(std::string(32, '\0')) == 0x8a9136aa);  // RFC 3720, B.4
  CHECK(events::record("abc").size() == 8 + 4 + 3 + 4);
}

TEST_CASE("a run's tables and parameters go to event files", "[cli]") {
  const Shell shell;
  const std::vector<std::string> train{"train", "line", "--tensorboard", "--watch", "--out", "run"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), train.begin(), train.end());
    return shell.call(more).code;
  };
  const std::filesystem::path folder = shell.folder / "run/tensorboard";
  REQUIRE(with({"--steps", "6", "--eval-every", "2", "--interrupt-at", "3"}) == 130);
  REQUIRE(with({"--resume"}) == 0);
  const std::vector<std::filesystem::path> files = files_in(folder);
  REQUIRE(files.size() == 2);
  const std::vector<events::Event> events = events_of(files[1]);
  REQUIRE(events.size() > 4);
  CHECK(events[0].file_version() == "brain.Event:2");
  CHECK(events[1].session_log().status() == events::SessionLog::START);
  CHECK(events[1].step() == 4);  // what comes again
  double loss = 0, values = 0, gradients = 0;
  for (const events::Event& event : events) {
    for (const events::Summary::Value& value : event.summary().value()) {
      if (value.tag() == "train/loss" && event.step() == 6) loss = static_cast<double>(value.simple_value());
      if (value.tag() == "gradient/out") ++gradients;
      if (value.tag() != "parameter/hidden" || event.step() != 6) continue;
      CHECK(value.histo().num() == 18);
      for (const double count : value.histo().bucket()) values += count;
      CHECK(value.histo().bucket_limit(value.histo().bucket_limit_size() - 1) == Approx(value.histo().max()));
    }
  }
  CHECK(loss > 0);
  CHECK(values == 18);
  CHECK(gradients == 2);  // of steps 4 and 6

  std::vector<std::string> again{"train",         "line",        "--steps", "2",
                                 "--tensorboard", "--overwrite", "--out",   "run"};
  REQUIRE(shell.call(again).code == 0);
  REQUIRE(files_in(folder).size() == 1);
  for (const events::Event& event : events_of(files_in(folder)[0]))  // the task has no pictures
    for (const events::Summary::Value& value : event.summary().value()) CHECK(!value.has_image());
}

TEST_CASE("heat maps of the same items at each evaluation go to event files as images", "[cli]") {
  const Shell shell;
  // With averaged weights: they are what is evaluated, and what best.fovea and its page hold.
  std::istringstream words(
      "train copy --steps 12 --eval-every 4 --width 8 --sequences 600 --symbols 5 --beam 1 --threads 1 "
      "--model transformer --heads 2 --layers 2 --inner 8 --lr 0.1 --ema 0.9");
  const std::vector<std::string> train{std::istream_iterator<std::string>(words), {}};
  const auto run = [&](const std::string& out, std::vector<std::string> more) {
    more.insert(more.begin(), train.begin(), train.end());
    more.insert(more.end(), {"--out", out});
    const Result result = shell.call(more);
    INFO(result.err);
    REQUIRE(result.code == 0);
  };
  run("without", {});
  run("with", {"--tensorboard"});

  std::map<std::int64_t, std::vector<events::Summary::Value>> images;  // by step
  for (const std::filesystem::path& file : files_in(shell.folder / "with/tensorboard"))
    for (const events::Event& event : events_of(file))
      for (const events::Summary::Value& value : event.summary().value())
        if (value.has_image()) images[event.step()].push_back(value);
  REQUIRE(images.size() == 3);
  for (const std::int64_t step : {4, 8, 12}) {
    // Of two items the mean, and two heads of two layers; and four of each of two other kinds of attention.
    REQUIRE(images[step].size() == 26);
    for (std::size_t i = 0; i < 26; ++i) {
      CHECK(images[step][i].tag() == images[4][i].tag());
      const events::Image& image = images[step][i].image();
      const Decoded seen = decoded(image.encoded_image_string());
      CHECK(static_cast<std::size_t>(image.width()) == seen.width);
      CHECK(static_cast<std::size_t>(image.height()) == seen.height);
      CHECK(image.colorspace() == 3);
    }
  }
  CHECK(decoded(images[4][0].image().encoded_image_string()).shades !=
        decoded(images[12][0].image().encoded_image_string()).shades);

  // They show what a page shows of the model that was evaluated.
  REQUIRE(shell.call({"plot", "with", "--worst", "0", "-o", "page.html"}).code == 0);
  const Result facts = shell.call({"inspect", "with/checkpoints/best.fovea", "--json"});
  const std::int64_t step = nlohmann::json::parse(facts.out)["step"];
  const auto pictures = page_data(shell.folder / "page.html")["pictures"];
  REQUIRE(pictures.size() == 2);
  for (std::size_t i = 0; i < 26; ++i) {
    const std::size_t in_item = i % 13, kind = in_item < 5 ? 0 : in_item < 9 ? 1 : 2;
    const auto& map = pictures[i / 13]["shown"]["maps"][kind];
    const std::size_t rows = map["rows"].size(), columns = map["columns"].size();
    CHECK_THAT(images[step][i].tag(),
               Catch::StartsWith("attention/" + pictures[i / 13]["title"].get<std::string>() + "/"));
    const Decoded seen = decoded(images[step][i].image().encoded_image_string());
    const std::size_t cell = seen.width / columns;
    REQUIRE(std::pair(seen.width, seen.height) == std::pair(cell * columns, cell * rows));
    const std::size_t head = kind == 0 ? in_item : report::spread(5, 4)[(in_item - 5) % 4];
    const std::vector<double> weights = report::unpacked(map["heads"][head]);
    std::size_t off = 0;
    for (std::size_t at = 0; at < rows * columns; ++at)
      off += report::shade(weights[at]) !=
             seen.at(at % columns * cell + cell / 2, at / columns * cell + cell / 2);
    CHECK(off <= rows * columns / 20);  // the page's weights are rounded
  }

  // Training has the same bits without them.
  for (const std::string file : {"/checkpoints/last.fovea", "/checkpoints/best.fovea"}) {
    const Result compared = shell.call({"inspect", "without" + file, "with" + file});
    CHECK(compared.code == 0);
    CHECK_THAT(compared.out, Catch::Contains("entries are equal"));
  }
}
