#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

// What a fuzz target is made of. A target is one source that defines `run`, which is handed bytes that
// libFuzzer made up. It may throw nothing, leak nothing, and hold at most its input's size and 10 MB at a
// time.

namespace fovea::fuzz {

/// Reads `bytes` in every way that the target is about.
void run(std::string_view bytes);

/// Lets this input hold so many bytes beside: where files are compressed.
void allow(std::size_t bytes);

/// What `read` returns, or nothing when it throws an E: the errors that a reader may answer with. Any other
/// ends the process, which libFuzzer reports.
template <class E, class Read>
auto answer(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const E&) {
    return std::nullopt;
  }
}

/// Ends the process unless `holds`.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

}  // namespace fovea::fuzz
