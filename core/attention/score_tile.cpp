#include "core/attention/score_tile.hpp"

namespace fovea::inline FOVEA_REAL::streaming {

std::unique_ptr<ScoreTile> score_tile(const Attention& attention, std::size_t group, std::size_t head,
                                      bool backward) {
  return (attention.kind == ScoreKind::dot ? dot_tile : additive_tile)(attention, group, head, backward);
}

}  // namespace fovea::inline FOVEA_REAL::streaming
