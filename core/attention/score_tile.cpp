#include "core/attention/score_tile.hpp"

namespace fovea::inline FOVEA_REAL::streaming {

std::unique_ptr<ScoreTile> score_tile(const Attention& attention, const Task& task, bool backward) {
  return (attention.kind == ScoreKind::dot ? dot_tile : additive_tile)(attention, task, backward);
}

}  // namespace fovea::inline FOVEA_REAL::streaming
