#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "training/entries.hpp"

namespace fovea {

/// Collects the values that a task's `state` names:
///
///     template <class Archive> void state(Archive& archive) { archive("words", words); archive("mean",
///     mean); }
class StateWriter {
 public:
  static constexpr bool reading = false;
  explicit StateWriter(Entries& entries) : entries_(&entries) {}

  void operator()(const std::string& name, const std::string& value);
  void operator()(const std::string& name, const std::vector<std::string>& value);
  void operator()(const std::string& name, std::uint64_t value);
  void operator()(const std::string& name, double value);
  void operator()(const std::string& name, const std::vector<std::uint64_t>& value);
  void operator()(const std::string& name, const std::vector<double>& value);

 private:
  Entries* entries_;
};

/// Gives the values back. CheckpointError when one is missing or of another kind.
class StateReader {
 public:
  static constexpr bool reading = true;
  explicit StateReader(const Entries& entries) : entries_(&entries) {}

  void operator()(const std::string& name, std::string& value);
  void operator()(const std::string& name, std::vector<std::string>& value);
  void operator()(const std::string& name, std::uint64_t& value);
  void operator()(const std::string& name, double& value);
  void operator()(const std::string& name, std::vector<std::uint64_t>& value);
  void operator()(const std::string& name, std::vector<double>& value);

  /// CheckpointError when the file holds state that nobody asked for.
  void finish() const;

 private:
  const std::string& take(const std::string& name);  // its name among the entries
  const Entries* entries_;
  std::set<std::string> taken_;
};

}  // namespace fovea
