#include "experiments/excerpt.hpp"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include "training/file.hpp"

namespace fovea::experiments {
namespace fs = std::filesystem;

Excerpt::Excerpt(const fs::path& of, std::size_t lines)
    : file_(fs::temp_directory_path() / fmt::format("fovea-{}-{}", ::getpid(), of.filename().string())) {
  const std::string text = read_file(of);
  std::size_t end = 0;
  for (; lines > 0 && end < text.size(); --lines) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  replace_file(file_, text.substr(0, end));
}

Excerpt::~Excerpt() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace fovea::experiments
