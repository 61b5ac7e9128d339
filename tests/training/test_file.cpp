#include <cerrno>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "training/file.hpp"
#include "training/folder.hpp"

using namespace fovea;
using Catch::Contains;

namespace {
bool folders_fail = false;
}

// Stands before the C library's own, so that a test can have a disk that fails.
extern "C" int fsync(int file) {
  struct stat facts {};
  if (folders_fail && ::fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

TEST_CASE("a folder that cannot be flushed is told apart from a file that was not written", "[training]") {
  const TemporaryFolder folder;
  write(folder / "x", "old");
  folders_fail = true;
  std::string words;
  try {
    replace_file(folder / "x", "new");
  } catch (const Error& error) {
    words = error.what();
  }
  folders_fail = false;
  CHECK_THAT(words, Contains((folder / "x").string() + " is written") && Contains("Input/output error"));
  CHECK(content(folder / "x") == "new");
  CHECK(!has_temporary(folder.path));
}

TEST_CASE("a temporary name is of one process, and is known for one of any", "[training]") {
  const std::filesystem::path file = "a/last.fovea", own = temporary_name(file);
  CHECK(own == "a/last.fovea." + std::to_string(::getpid()) + ".tmp");
  CHECK(own.extension() == ".tmp");
  CHECK(name_behind(own) == file);
  CHECK(name_behind("a/last.fovea.1.tmp") == file);
  CHECK(name_behind("a/last.fovea.tmp") == file);
  CHECK(name_behind("x.2.1.tmp") == std::filesystem::path("x.2"));
  CHECK(name_behind("x..tmp") == std::filesystem::path("x."));
  for (const char* other : {"a/last.fovea", "tmp", "x.tmp.1", "x.tmp2"}) CHECK_FALSE(name_behind(other));
}
