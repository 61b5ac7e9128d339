// Stands before the C library (LD_PRELOAD) and lets one system call fail that writes in a given folder. Set
// by environment variables:
//
//     FAULT_FOLDER   the folder, by its full path
//     FAULT_LOG      a file that gets a line `number name path` for each such call
//     FAULT_CALL     the number of the call that fails, from 1; 0 or nothing: none
//     FAULT_ACTION   what happens there: a number of errno; `always:` and a number, then all calls after it
//     fail too;
//                    `short`, a write of half the bytes; `kill`, the process dies before the call; `torn`, it
//                    dies when half the bytes are written; `signal`, SIGINT comes before the call; `signals`,
//                    it comes twice
//
// A call counts when it creates, writes, flushes, closes, renames, removes or locks. What the C library calls
// within itself is not seen, so the calls for streams are caught too.

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

struct Plan {
  std::string folder = setting("FAULT_FOLDER"), action = setting("FAULT_ACTION");
  long call = std::atol(setting("FAULT_CALL").c_str());
  int log = -1;
  Plan() {
    const std::string file = setting("FAULT_LOG");
    if (!file.empty())
      log = static_cast<int>(
          ::syscall(SYS_openat, AT_FDCWD, file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  }
};

// Made at the first call and never destroyed: calls come until the very end of the process.
const Plan& plan() {
  static const Plan& made = *new Plan;
  return made;
}

std::string path_of(int file) {
  char link[32], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = ::readlink(link, path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : std::string();
}

std::string path_of(const char* path) {
  if (path[0] == '/') return path;
  char folder[4096];
  return std::string(::getcwd(folder, sizeof folder) ? folder : "") + "/" + path;
}

std::string path_of(FILE* file) { return file ? path_of(::fileno(file)) : std::string(); }

std::atomic<long> counted{0};

enum class Turn { pass, fail, shorten };

// Counts a call and says what becomes of it; `errno` is set where it fails.
template <class Place>
Turn turn(const char* name, const Place& place) {
  const Plan& told = plan();
  const int before = errno;
  const std::string path = path_of(place);
  const bool within = !told.folder.empty() && path.starts_with(told.folder) &&
                      (path.size() == told.folder.size() || path[told.folder.size()] == '/');
  errno = before;
  if (!within) return Turn::pass;
  const long number = ++counted;
  const std::string line = std::to_string(number) + " " + name + " " + path + "\n";
  if (told.log >= 0) ::syscall(SYS_write, told.log, line.data(), line.size());
  errno = before;
  if (told.call <= 0 || number < told.call) return Turn::pass;
  const std::string_view action = told.action;
  constexpr std::string_view always = "always:";
  if (action.starts_with(always)) {
    errno = std::atoi(told.action.c_str() + always.size());
    return Turn::fail;
  }
  if (number != told.call) return Turn::pass;
  if (action == "short" || action == "torn") return Turn::shorten;
  if (action == "kill") ::raise(SIGKILL);
  if (action.starts_with("signal")) {
    for (std::size_t i = 0; i < (action == "signals" ? 2U : 1U); ++i) ::raise(SIGINT);
    errno = before;
    return Turn::pass;
  }
  errno = std::atoi(told.action.c_str());
  return Turn::fail;
}

// What half of a write has done: to be called when it is done.
void halved() {
  if (plan().action == "torn") ::raise(SIGKILL);
}

template <class F>
F* next(F*, const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

// The call as it would be without this file.
template <class F, class... Arguments>
auto original(F* own, const char* name, Arguments... arguments) {
  return next(own, name)(arguments...);
}

bool writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_DIRECTORY) != 0; }

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  if (writes(flags) && turn("open", path) == Turn::fail) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (mode[0] != 'r' && turn("fopen", path) == Turn::fail) return nullptr;
  return original(&fopen, "fopen", path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (mode[0] != 'r' && turn("fopen", path) == Turn::fail) return nullptr;
  return original(&fopen64, "fopen64", path, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
  const Turn now = turn("write", file);
  if (now == Turn::fail) return -1;
  const ssize_t written = ::syscall(SYS_write, file, bytes, now == Turn::shorten ? (size + 1) / 2 : size);
  if (now == Turn::shorten) halved();
  return written;
}

ssize_t writev(int file, const iovec* parts, int count) {
  if (turn("writev", file) == Turn::fail) return -1;
  return ::syscall(SYS_writev, file, parts, count);
}

size_t fwrite(const void* bytes, size_t size, size_t count, FILE* file) {
  if (turn("fwrite", file) == Turn::fail) return 0;
  return original(&fwrite, "fwrite", bytes, size, count, file);
}

int fflush(FILE* file) {
  if (turn("fflush", file) == Turn::fail) return EOF;
  return original(&fflush, "fflush", file);
}

int fclose(FILE* file) {
  const bool fails =
      ::__fwritable(file) && turn("fclose", file) == Turn::fail;  // one that is read loses nothing
  const int reason = errno;
  const int result = original(&fclose, "fclose", file);
  if (fails) errno = reason;
  return fails ? EOF : result;
}

int fsync(int file) {
  return turn("fsync", file) == Turn::fail ? -1 : static_cast<int>(::syscall(SYS_fsync, file));
}

int close(int file) {
  const int flags = ::fcntl(file, F_GETFL);
  const bool fails = flags >= 0 && writes(flags) && turn("close", file) == Turn::fail;
  const int reason = errno;
  const int result = static_cast<int>(::syscall(SYS_close, file));
  if (fails) errno = reason;  // the descriptor is gone nevertheless, as Linux has it
  return fails ? -1 : result;
}

int rename(const char* from, const char* to) {
  return turn("rename", to) == Turn::fail ? -1 : original(&rename, "rename", from, to);
}

int link(const char* from, const char* to) {
  return turn("link", to) == Turn::fail ? -1 : original(&link, "link", from, to);
}

int unlink(const char* path) {
  return turn("unlink", path) == Turn::fail ? -1 : original(&unlink, "unlink", path);
}

int remove(const char* path) {
  return turn("remove", path) == Turn::fail ? -1 : original(&remove, "remove", path);
}

int mkdir(const char* path, mode_t mode) {
  return turn("mkdir", path) == Turn::fail ? -1 : original(&mkdir, "mkdir", path, mode);
}

int ftruncate(int file, off_t size) {
  return turn("ftruncate", file) == Turn::fail ? -1 : original(&ftruncate, "ftruncate", file, size);
}

int flock(int file, int operation) {
  return turn("flock", file) == Turn::fail ? -1 : original(&flock, "flock", file, operation);
}

}  // extern "C"
