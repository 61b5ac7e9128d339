#include "training/file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "core/check.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int reason) {
  throw Error(std::string("cannot ") + what + " " + path.string() + ": " + std::strerror(reason));
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool write_all(int number, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(number, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Until its folder is flushed, a crash may undo a rename. Some file systems cannot do it and say so.
void flush_folder(const std::filesystem::path& folder) {
  const Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (opened.number() >= 0 && ::fsync(opened.number()) != 0 && errno != EINVAL) fail("flush", folder, errno);
}

}  // namespace

std::filesystem::path temporary_name(const std::filesystem::path& path) { return path.string() + ".tmp"; }

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path temporary = temporary_name(path);
  Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  if (file.number() < 0) fail("write", path, errno);
  const bool written = write_all(file.number(), bytes) && ::fsync(file.number()) == 0 && file.close() &&
                       ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    fail("write", path, reason);
  }
  flush_folder(path.has_parent_path() ? path.parent_path() : ".");
}

std::string read_file(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY);
  struct stat facts {};
  if (file.number() < 0 || ::fstat(file.number(), &facts) != 0) fail("read", path, errno);
  if (S_ISDIR(facts.st_mode)) fail("read", path, EISDIR);
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.number(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path, errno);
    if (got == 0) break;  // it shrank meanwhile
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

std::string file_checksum(const std::filesystem::path& path) { return xxh3(read_file(path)); }

}  // namespace fovea
