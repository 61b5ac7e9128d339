#pragma once

#include <filesystem>
#include <string>

namespace fovea::experiments {

/// The first lines of a file, in a file for as long as this is alive: data for a rehearsal, where reading all
/// of them would take longer than everything else.
class Excerpt {
 public:
  Excerpt(const std::filesystem::path& of, std::size_t lines);
  ~Excerpt();
  Excerpt(const Excerpt&) = delete;
  Excerpt& operator=(const Excerpt&) = delete;

  std::string file() const { return file_.string(); }

 private:
  std::filesystem::path file_;
};

}  // namespace fovea::experiments
