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
