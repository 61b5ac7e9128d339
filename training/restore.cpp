#include "training/restore.hpp"

namespace fovea {
namespace {

constexpr std::size_t times = 4;
constexpr std::size_t room = std::size_t{128} << 20;

// In all arrays of a model.
std::size_t numbers_in(const Checkpoint& from) {
  std::size_t count = 0;
  for (const Entry& entry : from.entries.all()) {
    if (array_path(entry).empty()) continue;
    count += std::visit([](const auto& values) { return values.size(); }, entry.values);
  }
  return count;
}

}  // namespace

std::size_t memory_to_restore(const Checkpoint& from) {
  return times * numbers_in(from) * sizeof(double) + room;
}

void refuse_size(const Checkpoint& from) {
  throw CheckpointError(join(from.origin, ": its config asks for a model that is much larger than the ",
                             numbers_in(from),
                             " numbers that the file holds; take another checkpoint of that run"));
}

}  // namespace fovea
