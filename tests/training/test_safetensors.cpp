#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>

#include <catch2/catch.hpp>

#include "training/safetensors.hpp"

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;

namespace {

// A file of this header, with so many bytes of data.
std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + header + data;
}

std::string one(const std::string& facts, std::size_t bytes) {
  return file_of("{\"w\":" + facts + "}", std::string(bytes, '\0'));
}

}  // namespace

TEST_CASE("arrays go to safetensors and come back", "[training]") {
  Entries arrays;
  arrays.add("b.weight", {2, 3}, std::vector<float>{1, -2, 3, 0.1f, 1e-40f, -0.0f});
  arrays.add("a \"ü\"", {}, std::vector<double>{0.1});
  arrays.add("empty", {0, 3}, std::vector<float>{});
  const std::string bytes = write_safetensors(arrays, {{"task", "line"}});
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  CHECK(header % 8 == 0);
  CHECK_THAT(
      bytes.substr(8, header),
      StartsWith(
          R"({"__metadata__":{"task":"line"},"b.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})"));
  const Entries back = read_safetensors(bytes, "f").read;
  REQUIRE(back.all().size() == 3);
  for (const Entry& entry : arrays.all()) {
    CHECK(back.at(entry.name).shape == entry.shape);
    CHECK(checksum(back.at(entry.name)) == checksum(entry));
  }
  Entries texts;
  texts.add_text("t", "x");
  CHECK_THROWS_WITH(write_safetensors(texts, {}), Contains("t holds texts"));
  Entries about;
  about.add("__metadata__", {}, std::vector<float>{1});
  CHECK_THROWS_WITH(write_safetensors(about, {}), Contains("no array can have the name __metadata__"));
}

TEST_CASE("of an array of safetensors of another type the header is read", "[training]") {
  for (const std::string type : {"I32", "U32", "C32", "NEW", "F32X"}) {
    CAPTURE(type);
    const Arrays arrays =
        read_safetensors(file_of(R"({"n":{"dtype":")" + type +
                                     R"(","shape":[1],"data_offsets":[0,4]},)"
                                     R"("w":{"dtype":"F32","shape":[],"data_offsets":[4,8]}})",
                                 std::string(8, '\0')),
                         "f");
    CHECK(arrays.read.find("w") != nullptr);
    REQUIRE(arrays.unread.size() == 1);
    CHECK(arrays.unread[0].name == "n");
    CHECK(arrays.unread[0].type == type);
    CHECK(arrays.unread[0].shape == std::vector<std::uint64_t>{1});
    CHECK(arrays.unread[0].checksum == checksum(arrays.read.at("w")));
  }
  const std::string small = R"({"dtype":"F4","shape":[2],"data_offsets":[0,1]})";
  CHECK(read_safetensors(one(small, 1), "f").unread.size() == 1);
}

TEST_CASE("a file of many arrays takes time in proportion", "[training]") {
  const auto time = [](std::size_t count) {
    Entries arrays;
    for (std::size_t i = 0; i < count; ++i) arrays.add(join("array", i), {1}, std::vector<float>{1});
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int i = 0; i < 3; ++i) {
      const std::clock_t begin = std::clock();
      CHECK(read_safetensors(write_safetensors(arrays, {}), "f").read.all().size() == count);
      best = std::min(best, std::clock() - begin);
    }
    return best;
  };
  const std::clock_t some = time(2000);
  CHECK(time(16000) < 24 * some);  // 8 times are in proportion; when all names are compared it is 64
}

TEST_CASE("half precision is read as single", "[training]") {
  const std::uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x8000, 0x7bff, 0x7c00, 0xfc00, 0x7e00};
  const std::string bytes(reinterpret_cast<const char*>(halves), sizeof halves);
  const auto values =
      read_safetensors(file_of(R"({"w":{"dtype":"F16","shape":[8],"data_offsets":[0,16]}})", bytes), "f")
          .read.values<float>("w");
  CHECK(values[0] == 1);
  CHECK(values[1] == -2);
  CHECK(values[2] == 0x1p-24f);
  CHECK((values[3] == 0 && std::signbit(values[3])));
  CHECK(values[4] == 65504);
  CHECK(values[5] == INFINITY);
  CHECK(values[6] == -INFINITY);
  CHECK(std::isnan(values[7]));
  const std::uint16_t brain[] = {0x3f80, 0xc049};
  const auto more = read_safetensors(file_of(R"({"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})",
                                             {reinterpret_cast<const char*>(brain), sizeof brain}),
                                     "f")
                        .read.values<float>("w");
  CHECK(more == std::vector<float>{1, -3.140625f});
}

// Cases stable-diffusion.cpp#1396, mlx#3363.
TEST_CASE("a file that lies is refused, with the name of the array", "[training]") {
  const std::string a = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const std::string deep =
      std::string(200'000, '[') + std::string(200'000, ']');  // no place on the stack for each
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "f: the file ends before"},
      {std::string(7, 'x'), "f: the file ends before"},
      {std::string("\xff\xff\xff\xff\0\0\0\0", 8) + "{}",
       "f: the header is said to have 4294967295 bytes; 2 are there"},
      {std::string(8, '\xff') + "{}", "f: the header is said to have 18446744073709551615 bytes"},
      {file_of("{", ""), "f: the header is no JSON"},
      {file_of("[]", ""), "f: the header is no JSON object"},
      {file_of("{\"w\":3}", ""), "f: w: "},
      {one(R"({"dtype":"F32","shape":[1]})", 4), "f: w: "},
      {one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4), "f: w: "},
      {one(R"({"dtype":"F32","shape":[1.5],"data_offsets":[0,4]})", 4), "f: w: "},
      {one(R"({"dtype":"F32","shape":1,"data_offsets":[0,4]})", 4), "f: w: "},
      {one(R"({"dtype":"F32","shape":null,"data_offsets":[0,4]})", 4), "f: w: "},
      {one(R"({"dtype":"F32","shape":{"a":1},"data_offsets":[0,4]})", 4), "f: w: "},
      {one(R"({"dtype":"F32","shape":)" + deep + R"(,"data_offsets":[0,4]})", 4), "f: w: "},
      {one(R"({"dtype":"I64","shape":[1],"data_offsets":[0,4]})", 4),
       "f: w: has 4 bytes, which its shape [1] of I64"},
      {one(R"({"dtype":"BOOL","shape":[1],"data_offsets":[0,4]})", 4), "f: w: has 4 bytes"},
      {one(R"({"dtype":"F4","shape":[3],"data_offsets":[0,1]})", 1), "f: w: has 1 bytes"},
      {one(R"({"dtype":"I64","shape":[1],"data_offsets":[0,8]})", 4), "f: w: lies at 0 to 8 of 4 bytes"},
      {one(R"({"dtype":"NEW","shape":[1],"data_offsets":[4,8]})", 8), "f: w: leaves a gap before it"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,8]})", 4), "f: w: data_offsets are not two"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})", 4), "f: w: lies at 0 to 8 of 4 bytes"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", 4), "f: w: lies at 4 to 0"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", 4),
       "f: w: has 4 bytes, which its shape [2] of F32"},
      {one(R"({"dtype":"F32","shape":[],"data_offsets":[0,8]})", 8), "f: w: has 8 bytes"},
      {one(R"({"dtype":"F32","shape":[0],"data_offsets":[0,4]})", 4), "f: w: has 4 bytes"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,3]})", 3), "f: w: has 3 bytes"},
      {one(R"({"dtype":"F32","shape":[4294967296,4294967296,1],"data_offsets":[0,0]})", 0),
       "f: w: has 0 bytes"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})", 8), "f: 4 bytes belong to no array"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", 8), "f: w: leaves a gap before it"},
      {file_of("{" + a + R"(,"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", std::string(12, 'x')),
       "f: b: overlaps another array"},
      {file_of("{" + a + "," + a + "}", std::string(8, 'x')), "f: a: is there twice"},
  };
  for (const auto& [bytes, words] : cases) {
    CAPTURE(bytes.substr(std::min<std::size_t>(bytes.size(), 8)));
    REQUIRE_THROWS_AS(read_safetensors(bytes, "f"), DataError);
    CHECK_THROWS_WITH(read_safetensors(bytes, "f"), StartsWith(words));
  }
  CHECK(read_safetensors(file_of("{}", ""), "f").read.all().empty());
}
