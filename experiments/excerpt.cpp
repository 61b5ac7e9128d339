#include "experiments/excerpt.hpp"

#include <algorithm>

#include "training/file.hpp"

namespace fovea::experiments {

std::string excerpt(const std::filesystem::path& of, std::size_t lines, const std::filesystem::path& folder) {
  const std::string text = read_file(of);
  std::size_t end = 0;
  for (; lines > 0 && end < text.size(); --lines) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  const std::filesystem::path file = folder / ("excerpt-" + of.filename().string());
  replace_file(file, text.substr(0, end));
  return file.string();
}

}  // namespace fovea::experiments
