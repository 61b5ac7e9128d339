#pragma once

#include <fstream>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

#include "training/folder.hpp"

namespace fovea {

/// Whether this process may mount file systems that nobody else sees: as root, or else as the root of a user
/// namespace of its own. It is in such a namespace from the first call on.
inline bool can_mount() {
  static const bool possible = [] {
    const std::string user = std::to_string(::getuid()), group = std::to_string(::getgid());
    if (::unshare(CLONE_NEWNS) != 0) {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << "0 " + user + " 1";
      std::ofstream("/proc/self/gid_map") << "0 " + group + " 1";
    }
    return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }();
  return possible;
}

/// A file system that is mounted on a folder while the object is there.
class Mount {
 public:
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;
  ~Mount() {
    if (mounted_) ::umount2(place_.c_str(), MNT_DETACH);
  }

  /// An empty one with room for so many bytes.
  static Mount disk(const std::filesystem::path& place, std::size_t bytes) {
    std::filesystem::create_directories(place);
    const std::string room = "size=" + std::to_string(bytes);
    return {place, can_mount() && ::mount("tmpfs", place.c_str(), "tmpfs", 0, room.c_str()) == 0};
  }

  /// The folder as it is, but nothing of it can be changed.
  static Mount read_only(const std::filesystem::path& place) {
    if (!can_mount() || ::mount(place.c_str(), place.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
      return {place, false};
    return {place, ::mount("none", place.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0};
  }

  explicit operator bool() const { return mounted_; }

 private:
  Mount(std::filesystem::path place, bool mounted) : place_(std::move(place)), mounted_(mounted) {}
  std::filesystem::path place_;
  bool mounted_;
};

}  // namespace fovea
