#include "report/room.hpp"

#include <algorithm>

namespace fovea::report {
namespace {

std::size_t cells_of(const HeatMap& map) { return map.rows.size() * map.columns.size(); }

// The maps of all pictures: the first kind of each picture, then the second, …
std::vector<HeatMap*> maps_of(std::span<Picture> pictures) {
  std::vector<HeatMap*> found;
  for (std::size_t kind = 0, before = 1; before != found.size(); ++kind) {
    before = found.size();
    for (Picture& picture : pictures)
      if (auto* maps = std::get_if<HeatMaps>(&picture.shown); maps && kind < maps->size())
        found.push_back(&(*maps)[kind]);
  }
  return found;
}

}  // namespace

std::vector<std::size_t> spread(std::size_t all, std::size_t most) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0, count = std::min(all, most); i < count; ++i) kept.push_back(i * all / count);
  return kept;
}

void leave_out_heads(std::span<Picture> pictures, std::size_t weights) {
  const std::vector<HeatMap*> maps = maps_of(pictures);
  std::vector<std::size_t> most(maps.size());  // heads of each
  std::size_t taken = 0, largest = 0;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    largest = std::max(largest, maps[i]->heads.size());
    if (maps[i]->heads.empty() || (i > 0 && taken + cells_of(*maps[i]) > weights)) continue;
    most[i] = 1;
    taken += cells_of(*maps[i]);
  }
  for (std::size_t heads = 2; heads <= largest; ++heads) {
    std::size_t more = 0;
    for (std::size_t i = 0; i < maps.size(); ++i)
      if (most[i] > 0 && heads <= maps[i]->heads.size()) more += cells_of(*maps[i]);
    if (taken + more > weights) break;
    taken += more;
    for (std::size_t i = 0; i < maps.size(); ++i)
      if (most[i] > 0) most[i] = std::min(heads, maps[i]->heads.size());
  }
  for (std::size_t i = 0; i < maps.size(); ++i) {
    std::vector<HeatMap::Head> kept, &all = maps[i]->heads;
    if (most[i] == all.size()) continue;
    for (const std::size_t head : spread(all.size(), most[i])) kept.push_back(std::move(all[head]));
    maps[i]->left_out += all.size() - kept.size();
    all = std::move(kept);
  }
}

}  // namespace fovea::report
