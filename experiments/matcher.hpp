#pragma once

#include <optional>
#include <string>

#include "modules/attention/score.hpp"
#include "modules/fields.hpp"
#include "modules/linear.hpp"
#include "modules/pass.hpp"

namespace fovea::experiments {

/// A score of queries and keys of different widths: of both as they are, or behind linear projections.
struct Matcher {
  std::optional<Linear> query, key;
  Score score;
  FIELDS(query, key, score)

  Variable projected(const Variable& queries) const { return query ? (*query)(queries) : queries; }
  /// Projected keys [N, key width] as `attend_prepared` takes them.
  Variable prepared(const Variable& keys) const;
  /// Scores [n, N] of queries [n, query width] and prepared keys.
  Variable operator()(const Variable& queries, const Variable& prepared_keys, Pass& pass) const;
};

/// `additive`, of `width` hidden units, and `general` take both widths; other scores stand behind projections
/// to `width`.
Matcher make_matcher(const std::string& score, std::size_t query_width, std::size_t key_width,
                     std::size_t width, Rng& rng);

}  // namespace fovea::experiments
