#pragma once

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace fovea {

/// `call()`, which returns below 0 when it fails, again and again while a signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// An open file or folder of the system, closed with the object.
class Descriptor {
 public:
  Descriptor() = default;
  /// `flags` as for open(2); `errno` says why when it is not `open` then.
  Descriptor(const std::filesystem::path& path, int flags)
      : number_(uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); })) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// False when the system says that what was written is lost. A signal that interrupts it says nothing of
  /// the kind, and the descriptor is gone then, too.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0 || errno == EINTR; }

 private:
  int number_ = -1;
};

}  // namespace fovea
