#include "training/entries.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <xxhash.h>

#include "training/text.hpp"

namespace fovea {

std::string_view kind_name(const Entry& entry) {
  static constexpr std::array<std::string_view, 4> names{"texts", "u64", "f32", "f64"};
  return names[entry.values.index()];
}

std::string checksum(const Entry& entry) {
  static_assert(std::endian::native == std::endian::little, "checksums are of little-endian bytes");
  return std::visit(
      [](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<T, std::string>) {
          std::string bytes;
          for (const std::string& text : values) bytes += text + '\0';
          return xxh3(bytes);
        } else {
          return xxh3({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
        }
      },
      entry.values);
}

void Entries::add(std::string name, Entry::Values values) {
  const std::uint64_t count = std::visit([](const auto& list) { return list.size(); }, values);
  add(std::move(name), {count}, std::move(values));
}

void Entries::add(std::string name, std::vector<std::uint64_t> shape, Entry::Values values) {
  check<Error>(find(name) == nullptr, "entries", "\"", name, "\" is named twice");
  index_.emplace(name, entries_.size());
  entries_.push_back({std::move(name), std::move(shape), std::move(values)});
}

void Entries::add_text(std::string name, std::string text) {
  add(std::move(name), {}, std::vector<std::string>{std::move(text)});
}
void Entries::add_number(std::string name, std::uint64_t value) {
  add(std::move(name), {}, std::vector<std::uint64_t>{value});
}
void Entries::add_real(std::string name, double value) {
  add(std::move(name), {}, std::vector<double>{value});
}

const Entry* Entries::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

const Entry& Entries::at(std::string_view name) const {
  const Entry* found = find(name);
  check<CheckpointError>(found != nullptr, "checkpoint", name, " is missing");
  return *found;
}

namespace {
template <class T>
const T& single(const Entries& entries, std::string_view name) {
  const std::vector<T>& values = entries.values<T>(name);
  check<CheckpointError>(values.size() == 1, "checkpoint", name, " holds ", values.size(),
                         " values; expected one");
  return values[0];
}
}  // namespace

std::string Entries::text(std::string_view name) const { return single<std::string>(*this, name); }
std::uint64_t Entries::number(std::string_view name) const { return single<std::uint64_t>(*this, name); }
double Entries::real(std::string_view name) const { return single<double>(*this, name); }

Entries Entries::under(std::string_view prefix) const {
  Entries found;
  for (const Entry& entry : entries_) {
    if (entry.name.starts_with(prefix))
      found.add(entry.name.substr(prefix.size()), entry.shape, entry.values);
  }
  return found;
}

void Entries::add_under(std::string_view prefix, const Entries& other) {
  for (const Entry& entry : other.entries_) add(std::string(prefix) + entry.name, entry.shape, entry.values);
}

}  // namespace fovea
