#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/entries.hpp"

namespace fovea {

/// Compares the arrays of a file with those that are wanted, and reports all that differs at once.
class Matching {
 public:
  void expect(const std::string& name, std::vector<std::uint64_t> shape);

  /// Whatever of `entries` starts with one of `prefixes` has to be expected, but for `known`.
  /// `; missing: …; unexpected: …; …`, or nothing when all is as expected.
  std::string faults(const Entries& entries, std::initializer_list<std::string_view> prefixes = {""},
                     std::string_view known = {}) const;

 private:
  std::map<std::string, std::vector<std::uint64_t>> expected_;
};

/// ConfigError for a glob of --match that fits none of the paths that `origin` has.
void check_globs(std::span<const std::string> globs, std::span<const std::string> paths,
                 std::string_view origin);

/// True for the kinds that a parameter can have: f32 and f64.
bool is_real(const Entry& entry);

}  // namespace fovea
