#include "core/kernels/choose.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL {

// Defined once for each level that the build has, in core/kernels/level/set_kernels.cpp.
namespace plain {
void set_kernels(Kernels& table);
}
namespace v2 {
void set_kernels(Kernels& table);
}
namespace v3 {
void set_kernels(Kernels& table);
}
namespace v4 {
void set_kernels(Kernels& table);
}

namespace {

Kernels make(const char* level, void (*set)(Kernels&)) {
  Kernels table{};
  set(table);
  table.level = level;
  check_whole(table);
  return table;
}

// Lowest first. The tables are built the first time that somebody asks, and live as long as the program.
const std::vector<Kernels>& levels() {
  static const std::vector<Kernels> all = [] {
    std::vector<Kernels> found;
    found.push_back(make("plain", plain::set_kernels));
#ifdef FOVEA_HAS_LEVEL_v2
    if (__builtin_cpu_supports("x86-64-v2")) found.push_back(make("v2", v2::set_kernels));
#endif
#ifdef FOVEA_HAS_LEVEL_v3
    if (__builtin_cpu_supports("x86-64-v3")) found.push_back(make("v3", v3::set_kernels));
#endif
#ifdef FOVEA_HAS_LEVEL_v4
    if (__builtin_cpu_supports("x86-64-v4")) found.push_back(make("v4", v4::set_kernels));
#endif
    return found;
  }();
  return all;
}

const Kernels& choose() {
  const char* wanted = std::getenv("FOVEA_LEVEL");
  if (!wanted || !*wanted) return levels().back();
  std::string there;
  for (const Kernels& table : levels()) {
    if (table.level == std::string_view(wanted)) return table;
    there += (there.empty() ? "" : ", ") + std::string(table.level);
  }
  throw ConfigError(join("[kernels] FOVEA_LEVEL is '", wanted, "'; this program and CPU have: ", there));
}

}  // namespace

void check_whole(const Kernels& table) {
  // Every member is as wide as a pointer, and none is rightly 0.
  using Members = std::array<std::uintptr_t, sizeof(Kernels) / sizeof(std::uintptr_t)>;
  static_assert(sizeof(Members) == sizeof(Kernels));
  const Members members = std::bit_cast<Members>(table);
  for (std::size_t n = 0; n < members.size(); ++n) {
    check<Error>(members[n] != 0, "kernels", "nothing sets member ", n,
                 " (`level` is 0) of Kernels on level ", table.level ? table.level : "?",
                 ": see core/kernels/level/");
  }
}

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

std::vector<const Kernels*> supported_kernels() {
  std::vector<const Kernels*> result;
  for (const Kernels& table : levels()) result.push_back(&table);
  return result;
}

}  // namespace fovea::inline FOVEA_REAL
