#include <algorithm>
#include <cstring>
#include <filesystem>

#include <catch2/catch.hpp>

#include "cli/call.hpp"
#include "cli/tensorboard/records.hpp"
#include "events.pb.h"

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
  CHECK(files_in(folder).size() == 1);
}
