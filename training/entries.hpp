#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/check.hpp"

namespace fovea {

/// A named array: what a checkpoint is made of.
struct Entry {
  /// In the order of the kinds on disk; a kind is only ever added at the end.
  using Values = std::variant<std::vector<std::string>, std::vector<std::uint64_t>, std::vector<float>,
                              std::vector<double>>;
  std::string name;
  std::vector<std::uint64_t> shape;  // its product is the number of values
  Values values;
};

/// `texts`, `u64`, `f32`, `f64`
std::string_view kind_name(const Entry& entry);
/// XXH3 (64 bits, 16 hex digits) of the values' little-endian bytes.
std::string checksum(const Entry& entry);

/// Entries in the order in which they were added; names are unique.
class Entries {
 public:
  const std::vector<Entry>& all() const { return entries_; }

  /// A list of its own length, and single values with shape [].
  void add(std::string name, Entry::Values values);
  void add(std::string name, std::vector<std::uint64_t> shape, Entry::Values values);
  void add_text(std::string name, std::string text);
  void add_number(std::string name, std::uint64_t value);
  void add_real(std::string name, double value);

  const Entry* find(std::string_view name) const;
  /// CheckpointError that names what is missing or has another kind.
  const Entry& at(std::string_view name) const;
  template <class T>
  const std::vector<T>& values(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::uint64_t number(std::string_view name) const;
  double real(std::string_view name) const;

  /// The entries whose names start with `prefix`, without it.
  Entries under(std::string_view prefix) const;
  /// Adds all of `other` behind `prefix`.
  void add_under(std::string_view prefix, const Entries& other);

  /// As bytes (cereal's portable binary), and back. Reading trusts nothing: no allocation is larger than the
  /// bytes that are left, every length has to fit, and nothing may be left over. CheckpointError.
  std::string pack() const;
  static Entries unpack(std::string_view bytes);
  /// The same of the next `size` bytes of a stream. Entries whose names are not `wanted` are passed over;
  /// without it all are.
  using Wanted = std::function<bool(std::string_view name)>;
  static Entries unpack(std::istream& bytes, std::uint64_t size, const Wanted& wanted = {});

 private:
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> index_;  // name → place in entries_
};

template <class T>
const std::vector<T>& Entries::values(std::string_view name) const {
  const Entry& entry = at(name);
  const auto* found = std::get_if<std::vector<T>>(&entry.values);
  check<CheckpointError>(found != nullptr, "checkpoint", name, " holds ", kind_name(entry), " values");
  return *found;
}

}  // namespace fovea
