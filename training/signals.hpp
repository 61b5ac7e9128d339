#pragma once

namespace fovea {

/// While one is alive, the first SIGINT or SIGTERM is only noted, so that the step at hand can be finished
/// and saved; the second ends the process at once with 128 + its number. One at a time.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// The signal that came, or 0.
  int received() const;
};

}  // namespace fovea
