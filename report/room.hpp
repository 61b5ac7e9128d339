#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "report/picture.hpp"

// Heads of heat maps, where there are more than a page can hold. Tasks need it, too, and are not linked with
// reports.

namespace fovea::report {

/// Which of `all` stay where there is room for `most`: the first one, and others evenly spread, so that each
/// layer of a model, or part of data in some order, has its turn.
inline std::vector<std::size_t> spread(std::size_t all, std::size_t most) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0, count = std::min(all, most); i < count; ++i) kept.push_back(i * all / count);
  return kept;
}

/// The maps of all pictures: the first kind of each picture, then the second, …
inline std::vector<HeatMap*> maps_of(std::span<Picture> pictures) {
  std::vector<HeatMap*> found;
  for (std::size_t kind = 0, before = 1; before != found.size(); ++kind) {
    before = found.size();
    for (Picture& picture : pictures)
      if (auto* maps = std::get_if<HeatMaps>(&picture.shown); maps && kind < maps->size())
        found.push_back(&(*maps)[kind]);
  }
  return found;
}

/// Leaves heads out until the pictures' heat maps have at most `weights` weights in all: as many for each map
/// as there is room for. Where even a head for each is too much, the later kinds of attention go first, then
/// the later pictures; the first map of all keeps its first head. `HeatMap::left_out` counts what is gone.
inline void leave_out_heads(std::span<Picture> pictures, std::size_t weights) {
  const std::vector<HeatMap*> maps = maps_of(pictures);
  const auto cells = [&](std::size_t i) { return maps[i]->rows.size() * maps[i]->columns.size(); };
  std::vector<std::size_t> most(maps.size());  // heads of each
  std::size_t taken = 0, largest = 0;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    largest = std::max(largest, maps[i]->heads.size());
    if (maps[i]->heads.empty() || (i > 0 && taken + cells(i) > weights)) continue;
    most[i] = 1;
    taken += cells(i);
  }
  for (std::size_t heads = 2; heads <= largest; ++heads) {
    std::vector<std::size_t> growing;
    std::size_t more = 0;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      if (most[i] == 0 || maps[i]->heads.size() < heads) continue;
      growing.push_back(i);
      more += cells(i);
    }
    if (taken + more > weights) break;
    taken += more;
    for (const std::size_t i : growing) most[i] = heads;
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
