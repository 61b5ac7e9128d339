#include "cli/print.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/check.hpp"

namespace fovea {

void print(const std::string& text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  const bool ended = (!text.empty() && text.back() == '\n') || std::fputc('\n', stdout) != EOF;
  if (!whole || !ended || std::fflush(stdout) != 0) {
    throw Error(std::string("cannot write the result: ") + std::strerror(errno));
  }
}

}  // namespace fovea
