#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "autograd/param.hpp"

/// Names the fields of a module, each once:
///
///     struct AdditiveScore {
///       Linear query, key;
///       Param v;
///       FIELDS(query, key, v)
///     };
///
/// A field is a Param, a Buffer, a Probe, another module, or a vector, optional, variant or unique_ptr of
/// these. Plain settings (a rate, a flag) are not listed. A module without fields writes `FIELDS()`.
#define FIELDS(...)                                                                \
  template <class Visit>                                                           \
  void fields(Visit&& visit) {                                                     \
    ::fovea::internal::each_field(#__VA_ARGS__, visit __VA_OPT__(, ) __VA_ARGS__); \
  }                                                                                \
  template <class Visit>                                                           \
  void fields(Visit&& visit) const {                                               \
    ::fovea::internal::each_field(#__VA_ARGS__, visit __VA_OPT__(, ) __VA_ARGS__); \
  }

namespace fovea::internal {

// "query, key, v" → calls visit("query", query), visit("key", key), …
template <class Visit, class... Field>
void each_field(std::string_view names, Visit& visit, Field&... field) {
  [[maybe_unused]] const auto next = [&names] {
    const std::size_t comma = names.find(',');
    std::string_view name = names.substr(0, comma);
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    return name;
  };
  (visit(next(), field), ...);
}

}  // namespace fovea::internal

namespace fovea::inline FOVEA_REAL {

/// A tensor that belongs to a module's state but is not trained: saved and loaded with it.
struct Buffer {
  Tensor value;
};

/// A place at which one can look into a model: a field of an attention, which gives it a path (see
/// probe.hpp).
struct Probe {};

namespace detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool is_pointer = false;
template <class T>
inline constexpr bool is_pointer<std::unique_ptr<T>> = true;
template <class T>
inline constexpr bool is_pointer<std::optional<T>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;

inline std::string joined(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

}  // namespace detail

/// Walks a module depth first, in the order in which fields are named, and calls `leaf(path, field)` for
/// each field of a type that `leaf` accepts (say `Param&`). Elements of a vector are named by their index;
/// optional, variant and unique_ptr add nothing to a path.
template <class Field, class Leaf>
void walk(Field& field, Leaf&& leaf, const std::string& path = {}) {
  using T = std::remove_const_t<Field>;
  if constexpr (std::is_invocable_v<Leaf&, const std::string&, Field&>) {
    leaf(path, field);
  } else if constexpr (detail::is_vector<T>) {
    for (std::size_t i = 0; i < field.size(); ++i)
      walk(field[i], leaf, detail::joined(path, std::to_string(i)));
  } else if constexpr (detail::is_pointer<T>) {
    if (field) walk(*field, leaf, path);
  } else if constexpr (detail::is_variant<T>) {
    std::visit([&](auto& alternative) { walk(alternative, leaf, path); }, field);
  } else if constexpr (requires { field.fields([](std::string_view, auto&) {}); }) {
    field.fields([&](std::string_view name, auto& inner) { walk(inner, leaf, detail::joined(path, name)); });
  } else {
    // What is left must be a field that this walk does not ask for; anything else would be lost silently.
    static_assert(std::is_same_v<T, Param> || std::is_same_v<T, Buffer> || std::is_same_v<T, Probe>,
                  "FIELDS names a type that the walk does not know");
  }
}

/// Every parameter of a module with its path.
template <class Module>
std::vector<NamedParam> parameters(Module& module) {
  static_assert(!std::is_const_v<Module>, "parameters can be changed, so the model must not be const");
  std::vector<NamedParam> found;
  walk(module, [&](const std::string& path, Param& param) {
    if (param.defined()) found.push_back({path, &param, param.decays()});
  });
  return found;
}

/// A buffer and its path in the model.
struct NamedBuffer {
  std::string path;
  Buffer* buffer = nullptr;
};

template <class Module>
std::vector<NamedBuffer> buffers(Module& module) {
  std::vector<NamedBuffer> found;
  walk(module, [&](const std::string& path, Buffer& buffer) { found.push_back({path, &buffer}); });
  return found;
}

/// Number of trained numbers.
template <class Module>
std::size_t parameter_count(const Module& module) {
  std::size_t count = 0;
  walk(module, [&](const std::string&, const Param& param) { count += param.defined() ? param.size() : 0; });
  return count;
}

}  // namespace fovea::inline FOVEA_REAL
