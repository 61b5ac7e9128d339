#include "training/file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/check.hpp"
#include "training/descriptor.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

constexpr const char* temporary_ending = ".tmp";

[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int reason) {
  throw Error(std::string("cannot ") + what + " " + path.string() + ": " + std::strerror(reason));
}

bool write_all(int number, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = uninterrupted([&] { return ::write(number, bytes.data(), bytes.size()); });
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool flush(int number) {
  return uninterrupted([&] { return ::fsync(number); }) == 0;
}

// Until its folder is flushed, a crash may undo a rename. Some file systems cannot do it and say so.
// Returns why it failed, or 0. One that may not be read cannot be flushed either.
int flush_folder(const std::filesystem::path& folder) {
  const Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (!opened.is_open() || flush(opened.number()) || errno == EINVAL) return 0;
  return errno;
}

}  // namespace

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  return path.string() + "." + std::to_string(::getpid()) + temporary_ending;
}

std::optional<std::filesystem::path> name_behind(const std::filesystem::path& temporary) {
  if (temporary.extension() != temporary_ending) return {};
  const std::filesystem::path name = temporary.parent_path() / temporary.stem();
  const std::string process = name.extension().string();
  const bool numbered = process.size() > 1 && process.find_first_not_of("0123456789", 1) == std::string::npos;
  return numbered ? name.parent_path() / name.stem() : name;
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path temporary = temporary_name(path);
  Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.is_open()) fail("write", path, errno);
  const bool written = write_all(file.number(), bytes) && flush(file.number()) && file.close() &&
                       ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    fail("write", path, reason);
  }
  if (const int reason = flush_folder(path.has_parent_path() ? path.parent_path() : ".")) {
    throw Error(path.string() + " is written, but its folder cannot be flushed: " + std::strerror(reason) +
                "; after a crash of the system there may be the old content again");
  }
}

void append_file(const std::filesystem::path& path, std::string_view bytes) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (!file.is_open() || !write_all(file.number(), bytes) || !file.close()) fail("write", path, errno);
}

std::string read_file(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY);
  struct stat facts {};
  if (!file.is_open() || ::fstat(file.number(), &facts) != 0) fail("read", path, errno);
  if (S_ISDIR(facts.st_mode)) fail("read", path, EISDIR);
  const bool regular = S_ISREG(facts.st_mode);  // else a pipe, whose size nobody knows
  std::string bytes(regular ? static_cast<std::size_t>(facts.st_size) : 0, '\0');
  constexpr std::size_t more = 65536;
  std::size_t done = 0;
  while (!regular || done < bytes.size()) {
    if (!regular) bytes.resize(done + more);
    const ssize_t got =
        uninterrupted([&] { return ::read(file.number(), bytes.data() + done, bytes.size() - done); });
    if (got < 0) fail("read", path, errno);
    if (got == 0) break;  // its end, or it shrank meanwhile
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

std::string file_checksum(const std::filesystem::path& path) { return xxh3(read_file(path)); }

}  // namespace fovea
