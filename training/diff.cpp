#include "training/diff.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "training/toml_leaves.hpp"

namespace fovea {
namespace {

template <class A, class B>
bool same(const A& a, const B& b) {
  if constexpr (std::is_same_v<A, float> && std::is_same_v<B, float>) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  } else if constexpr (std::is_same_v<A, double> && std::is_same_v<B, double>) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  } else if constexpr (std::is_same_v<A, B>) {
    return a == b;
  } else {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    return x == y || (std::isnan(x) && std::isnan(y));
  }
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    constexpr std::size_t most = 60;
    return value.size() > most ? value.substr(0, most) + "…" : value;
  } else {
    return fmt::format("{}", value);
  }
}

template <class T>
constexpr bool is_number = std::is_arithmetic_v<T>;

template <class A, class B>
void measure(ValueDifference& difference, const A& a, const B& b) {
  const auto x = static_cast<double>(a), y = static_cast<double>(b);
  const bool finite = std::isfinite(x) && std::isfinite(y);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double apart = finite ? std::abs(x - y) : infinite, size = std::max(std::abs(x), std::abs(y));
  const double relative = !finite ? infinite : size > 0 ? apart / size : 0;
  difference.absolute = std::max(difference.absolute.value_or(0), apart);
  difference.relative = std::max(difference.relative.value_or(0), relative);
}

std::vector<std::uint64_t> index_of(std::uint64_t place, const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint64_t> index(shape.size(), 0);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return index;
}

// Nothing when all are the same, or when texts would be compared with numbers.
template <class A, class B>
std::optional<ValueDifference> compare(const std::vector<A>& a, const std::vector<B>& b,
                                       const std::vector<std::uint64_t>& shape) {
  ValueDifference difference;
  if constexpr (std::is_same_v<A, B> || (is_number<A> && is_number<B>)) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (same(a[i], b[i])) continue;
      if (difference.differing++ == 0) {
        difference.first = index_of(i, shape);
        difference.a = text_of(a[i]);
        difference.b = text_of(b[i]);
      }
      if constexpr (is_number<A>) measure(difference, a[i], b[i]);
    }
  }
  difference.of = a.size();
  return difference.differing > 0 ? std::optional(difference) : std::nullopt;
}

}  // namespace

std::vector<EntryDifference> differences(const Entries& a, const Entries& b) {
  std::vector<EntryDifference> found;
  for (const Entry& one : a.all()) {
    const Entry* other = b.find(one.name);
    EntryDifference difference{one.name, &one, other, {}};
    bool differs = !other || other->shape != one.shape || other->values.index() != one.values.index();
    if (other && other->shape == one.shape) {
      difference.values = std::visit([&](const auto& x, const auto& y) { return compare(x, y, one.shape); },
                                     one.values, other->values);
      differs = differs || difference.values;
    }
    if (differs) found.push_back(std::move(difference));
  }
  for (const Entry& other : b.all())
    if (!a.find(other.name)) found.push_back({other.name, nullptr, &other, {}});
  return found;
}

Entries comparable(const Checkpoint& checkpoint) {
  Entries entries;
  for (const Entry& entry : checkpoint.entries.all())
    if (entry.name != "config") entries.add(entry.name, entry.shape, entry.values);
  for (const TomlLeaf& leaf : toml_leaves(checkpoint.label.config, checkpoint.origin + ": its config"))
    entries.add_text(fmt::format("config/{}", fmt::join(leaf.keys, ".")), leaf.value);
  return entries;
}

}  // namespace fovea
