#pragma once

#include <optional>
#include <string>
#include <vector>

#include "training/checkpoint_file.hpp"
#include "training/entries.hpp"

namespace fovea {

/// How the values of two entries of equal shape differ.
struct ValueDifference {
  std::uint64_t differing = 0, of = 0;  // values
  std::vector<std::uint64_t> first;     // index of the first that differs
  std::string a, b;                     // and what stands there
  // Of numbers: the largest |a - b|, and the largest |a - b| / max(|a|, |b|). Infinite where one of both is
  // not finite.
  std::optional<double> absolute, relative;
};

/// An entry that is not the same in both files.
struct EntryDifference {
  std::string name;
  const Entry *a = nullptr, *b = nullptr;  // null where it is missing
  std::optional<ValueDifference> values;   // where both have one shape
};

/// What differs between two lists of entries, in the order of `a`, then what only `b` has. Values are equal
/// when their bits are, but f32 and f64 are compared as numbers. The result points into both.
std::vector<EntryDifference> differences(const Entries& a, const Entries& b);

/// A checkpoint's entries with one text `config/SETTING` for each of its settings in place of `config`.
Entries comparable(const Checkpoint& checkpoint);

}  // namespace fovea
