#include <cmath>

#include <catch2/catch.hpp>

#include "training/file.hpp"
#include "training/npz.hpp"
#include "training/safetensors.hpp"
#include "training/zip.hpp"

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;

namespace {

std::string golden(const std::string& name) {
  return read_file(FOVEA_SOURCE_DIR "/tests/training/golden/" + name);
}

// An array of numpy's with this header (padded as it has to be) and these bytes.
std::string npy(std::string header, const std::string& values) {
  header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
  const std::string size{static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return std::string("\x93NUMPY\x01", 7) + '\0' + size + header + values;
}

std::string facts(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::string file_of(const std::string& bytes) { return write_zip({{"w.npy", bytes}}); }

// Little-endian numbers put into the first record that starts with `magic`.
std::string patched(std::string bytes, const std::string& magic, std::size_t offset, std::uint64_t value,
                    int width) {
  const std::size_t at = bytes.find(magic);
  REQUIRE(at != std::string::npos);
  for (int i = 0; i < width; ++i)
    bytes[at + offset + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i) & 255);
  return bytes;
}

const std::string local = "PK\3\4", central = "PK\1\2";

// The end of a ZIP file whose ZIP64 record claims so many members.
std::string claiming(std::uint64_t members) {
  std::string record = std::string("PK\6\6") + std::string(52, '\0');
  std::string locator = std::string("PK\6\7") + std::string(16, '\0');
  locator[16] = 1;  // one disk
  record[4] = 44;   // bytes that follow
  const std::string end =
      std::string("PK\5\6") + std::string(4, '\0') + std::string(12, '\xff') + std::string(2, '\0');
  record = patched(patched(record, "PK\6\6", 24, members, 8), "PK\6\6", 32, members, 8);
  return record + locator + end;
}

}  // namespace

TEST_CASE("arrays go to npz and come back", "[training]") {
  Entries arrays;
  arrays.add("layers.0/b.weight", {2, 3}, std::vector<float>{1, -2, 3, 0.1f, 1e-40f, -0.0f});
  arrays.add("ü.npy", {}, std::vector<double>{0.1});
  arrays.add("empty", {0, 3}, std::vector<float>{});
  arrays.add("list", {3}, std::vector<double>{INFINITY, 1e-320, NAN});
  const std::string bytes = write_npz(arrays);
  CHECK(bytes == write_npz(arrays));
  CHECK(bytes.substr(10, 4) ==
        std::string("\0\0\x21\0", 4));  // time and date of the first: not when it was written
  const Entries back = read_npz(bytes, "f").read;
  REQUIRE(back.all().size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const Entry &a = arrays.all()[i], &b = back.all()[i];
    CHECK(b.name == a.name);
    CHECK(b.shape == a.shape);
    CHECK(kind_name(b) == kind_name(a));
    CHECK(checksum(b) == checksum(a));
  }
  CHECK(read_npz(write_npz({}), "f").read.all().empty());
  Entries texts;
  texts.add_text("t", "x");
  CHECK_THROWS_WITH(write_npz(texts), Contains("t holds texts"));
  Entries cut_off;
  cut_off.add(std::string("a\0b", 3), {}, std::vector<float>{1});
  CHECK_THROWS_WITH(write_npz(cut_off), Contains("has a NUL in its name"));
}

TEST_CASE("files that numpy and safetensors wrote are read", "[training]") {
  const Entries all[] = {read_npz(golden("numpy.npz"), "f").read,
                         read_npz(golden("numpy_compressed.npz"), "f").read,
                         read_safetensors(golden("python.safetensors"), "f").read};
  for (const Entries& arrays : all) {
    REQUIRE(arrays.all().size() == 6);
    CHECK(arrays.values<float>("b.weight") == std::vector<float>{1, -2, 3, 0.1f, 1e-40f, -0.0f});
    CHECK(std::signbit(arrays.values<float>("b.weight")[5]));
    CHECK(arrays.at("b.weight").shape == std::vector<std::uint64_t>{2, 3});
    CHECK(arrays.values<double>("layers/0.v ü") == std::vector<double>{0.1, -1e300, INFINITY});
    CHECK(arrays.at("fortran").shape == std::vector<std::uint64_t>{2, 3, 2});
    CHECK(arrays.values<float>("fortran") == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(arrays.values<float>("half") == std::vector<float>{1, -2, 65504, 0x1p-24f});
    CHECK(arrays.values<double>("one") == std::vector<double>{0.5});
    CHECK(arrays.at("one").shape.empty());
    CHECK(arrays.at("empty").shape == std::vector<std::uint64_t>{0, 3});
  }
}

TEST_CASE("headers as numpy may write them are read", "[training]") {
  const std::string four(4, '\0'), eight(8, '\0');
  for (const std::string& header :
       {facts("<f4", "(1,)"), facts("<f4", "( 1 , )", "True"),
        std::string("{\"shape\":(1,),\"descr\":\"<f4\",\"fortran_order\":False}")}) {
    CAPTURE(header);
    CHECK(read_npz(file_of(npy(header, four)), "f").read.at("w").shape == std::vector<std::uint64_t>{1});
  }
  const std::string header = facts("<f4", "(2, 1)") + "\n";
  const std::string size = std::string(1, static_cast<char>(header.size())) + std::string(3, '\0');
  for (const char version : {2, 3}) {
    const std::string bytes = std::string("\x93NUMPY") + version + '\0' + size + header + eight;
    CHECK(read_npz(file_of(bytes), "f").read.at("w").shape == std::vector<std::uint64_t>{2, 1});
  }
}

TEST_CASE("of an array of numpy's of another type the header is read", "[training]") {
  const std::string four(4, '\0'), record = "[('a', '<i2'), ('b', [('c', '<i2')])]";
  const std::vector<std::pair<std::string, std::string>> cases{
      {facts(">f4", "(1,)"), ">f4"},
      {facts("<i4", "(1,)"), "<i4"},
      {facts("|b1", "(2, 2)"), "|b1"},
      {facts("<U1", "(1,)"), "<U1"},
      {facts("|S4", "()"), "|S4"},
      {facts("<m4[ns]", "(1,)", "True"), "<m4[ns]"},
      {facts("|O", "(3,)"), "|O"},
      {facts("|O8", "(3,)"), "|O8"},
      {facts("<V4", "(1,)"), "<V4"},
      {"{'descr': " + record + ", 'fortran_order': False, 'shape': (1,)}", record},
  };
  for (const auto& [header, type] : cases) {
    CAPTURE(header);
    const Arrays arrays =
        read_npz(write_zip({{"n.npy", npy(header, four)}, {"w.npy", npy(facts("<f4", "(1,)"), four)}}), "f");
    CHECK(arrays.read.all().size() == 1);
    CHECK(arrays.read.find("w") != nullptr);
    REQUIRE(arrays.unread.size() == 1);
    CHECK(arrays.unread[0].name == "n");
    CHECK(arrays.unread[0].type == type);
    CHECK(arrays.unread[0].checksum == checksum(arrays.read.at("w")));
  }
  const std::string twice = npy(facts("<i4", "(1,)"), four);
  std::string bytes = write_zip({{"v.npy", twice}, {"w.npy", twice}});
  for (std::size_t at; (at = bytes.find("v.npy")) != std::string::npos;) bytes[at] = 'w';
  CHECK_THROWS_WITH(read_npz(bytes, "f"), "f: w: is there twice");
}

TEST_CASE("an array of npz that lies is refused, with its name", "[training]") {
  const std::string four(4, '\0');
  std::string axes;
  for (int i = 0; i < 65; ++i) axes += "1,";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "is no array: 0 bytes"},
      {"\x93NUMP", "is no array: 5 bytes"},
      {"notes, and no array", "is no array of numpy's"},
      {std::string("\x93NUMPY\x04\0\0\0", 10), "is of version 4"},
      {std::string("\x93NUMPY\x01\0\xff", 9), "ends within its header"},
      {std::string("\x93NUMPY\x01\0\xff\xff{", 11), "its header is said to have 65535 bytes of 11"},
      {std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13), "its header is said to have 4294967295 bytes"},
      {npy("", ""), "its header has ended where { was expected"},
      {npy("{", ""), "its header has ended where ' was expected"},
      {npy("{}", ""), "its header lacks descr"},
      {npy(facts("<f4", "(1,)") + "x", four), "its header goes on after its }"},
      {npy("{'descr': '<f4', 'descr': '<f4'}", ""), "its header has \"descr\" twice"},
      {npy("{'kind': 3}", ""), "its header has \"kind\" twice, or where it is not known"},
      {npy("{'descr", ""), "its header has a text without an end"},
      {npy("{'descr': [('a', '<f4')", four), "its header has a list without an end"},
      {npy(facts("<f4", "(1,)", "None"), four), "its header has a fortran_order"},
      {npy(facts("<f4", "(-1,)"), four), "its header has a shape that is not of whole numbers"},
      {npy(facts("<f4", "(1"), four), "its header has a shape"},
      {npy(facts("<f4", "(99999999999999999999,)"), four), "its header has a shape"},
      {npy(facts("<f4", "(" + axes + ")"), four), "its header claims 65 axes"},
      {npy(facts("<i8", "(1,)"), four), "has 4 bytes, which its shape (1,) of <i8 does not have"},
      {npy(facts("<U3", "(1,)"), four), "has 4 bytes, which its shape (1,) of <U3 does not have"},
      {npy(facts("|S0", "(1,)"), four), "has 4 bytes, which its shape (1,) of |S0 does not have"},
      {npy(facts("|O", "(4294967296, 4294967296, 1)"), four), "has 4 bytes, which its shape"},
      {npy(facts("<f4", "(2,)"), four), "has 4 bytes, which its shape (2,) of <f4 does not have"},
      {npy(facts("<f4", "(0,)"), four), "has 4 bytes, which its shape (0,)"},
      {npy(facts("<f4", "()"), four + four), "has 8 bytes, which its shape () of"},
      {npy(facts("<f4", "(1,)"), "abc"), "has 3 bytes, which"},
      {npy(facts("<f8", "(4294967296, 4294967296, 1)"), ""), "has 0 bytes, which its shape (4294967296, "},
  };
  for (const auto& [bytes, words] : cases) {
    CAPTURE(bytes, words);
    REQUIRE_THROWS_AS(read_npz(file_of(bytes), "f"), DataError);
    CHECK_THROWS_WITH(read_npz(file_of(bytes), "f"), StartsWith("f: w: " + words));
  }
}

TEST_CASE("a ZIP file that lies is refused", "[training]") {
  const std::string good = npy(facts("<f4", "(2,)"), "12345678"), whole = file_of(good);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "f: it is empty"},
      {"PK", "f: it is no ZIP file: "},
      {whole.substr(0, whole.size() / 2), "f: it is no ZIP file: "},
      {write_zip({{"notes.txt", "x"}}), "f: notes.txt: is no array: its name does not end in .npy"},
      {write_zip({{"w.npy", good}, {"v.npy", good}}), "f: w: is there twice"},
      {patched(whole, "12345678", 0, 0, 1), "f: w: CRC error"},
      {patched(patched(whole, central, 24, 1 << 30, 4), local, 22, 1 << 30, 4),
       "f: w: claims 1073741824 bytes in 136 bytes"},
      {patched(whole, central, 20, 1 << 20, 4),
       "f: w.npy: its 1048576 bytes are more than the file has left"},
      {patched(patched(whole, central, 10, 93, 2), local, 8, 93, 2), "f: w: is compressed by method 93"},
      {patched(patched(whole, central, 10, 8, 2), local, 8, 8, 2), "f: w: CRC error"},
      {patched(patched(whole, central, 8, 1, 2), local, 6, 1, 2), "f: w: is encrypted"},
      {claiming(1u << 30), "f: it claims 1073741824 members in 98 bytes"},
      {claiming(0xffffffffffffffff), "f: it claims 18446744073709551615 members in 98 bytes"},
  };
  for (auto [bytes, words] : cases) {
    // A second member of the first one's name, in both of its records.
    if (words.ends_with("twice"))
      for (std::size_t at; (at = bytes.find("v.npy")) != std::string::npos;) bytes[at] = 'w';
    CAPTURE(words);
    REQUIRE_THROWS_AS(read_npz(bytes, "f"), DataError);
    CHECK_THROWS_WITH(read_npz(bytes, "f"), StartsWith(words));
  }
}

TEST_CASE("a compressed array that claims more than deflate can hold is refused", "[training]") {
  const std::string bytes = golden("numpy_compressed.npz");
  const std::string words = "f: b.weight: claims 1073741824 bytes in ";
  CHECK_THROWS_WITH(read_npz(patched(bytes, central, 24, 1 << 30, 4), "f"), StartsWith(words));
  // Neither is one that is longer or shorter than it says.
  CHECK_THROWS_AS(read_npz(patched(bytes, central, 24, 151, 4), "f"), DataError);
  CHECK_THROWS_AS(read_npz(patched(bytes, central, 24, 153, 4), "f"), DataError);
}

TEST_CASE("an array with more compressed bytes than it claims is refused", "[training]") {
  // Deflated: one last block, not compressed, with its length and that length inverted.
  const std::string good = npy(facts("<f4", "(2,)"), "12345678"), all = good + "more";
  const auto length = static_cast<unsigned>(all.size());
  const auto deflated = [&] {
    std::string bytes{1};
    for (const unsigned part : {length, length >> 8, ~length, ~length >> 8})
      bytes += static_cast<char>(part & 255);
    return bytes + all;
  };
  std::string bytes = file_of(deflated());
  for (const auto& [magic, method, size] : {std::tuple(central, 10, 24), std::tuple(local, 8, 22)}) {
    bytes = patched(bytes, magic, static_cast<std::size_t>(method), 8, 2);
    bytes = patched(bytes, magic, static_cast<std::size_t>(size), good.size(), 4);
  }
  CHECK_THROWS_WITH(read_npz(bytes, "f"), "f: w: is longer than it claims");
}

TEST_CASE("members that lie over each other are refused", "[training]") {
  // Both are the first one's bytes, which a file may not count twice.
  const std::string values(1000, 'x'), good = npy(facts("<f8", "(125,)"), values);
  std::string bytes = write_zip({{"a.npy", good}, {"b.npy", good}});
  const std::size_t second = bytes.find(local, 1), after = bytes.find(central);
  const std::size_t gone = after - second;
  bytes.erase(second, gone);
  const std::size_t entry = bytes.find(central, bytes.find(central) + 1);
  bytes = bytes.substr(0, entry) + patched(bytes.substr(entry), central, 42, 0, 4);
  bytes = patched(bytes, "PK\5\6", 16, after - gone, 4);
  CHECK_THROWS_WITH(read_npz(bytes, "f"), StartsWith("f: b.npy: its 1128 bytes are more than"));
}
