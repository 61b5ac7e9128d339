#pragma once

#include <span>
#include <string>

#include "examples/cities/query.hpp"
#include "examples/cities/search.hpp"
#include "training/metrics.hpp"

// What the task reads from people, and what it says to people and programs.

namespace fovea::inline FOVEA_REAL::cities {

/// Reads what `predict` is given. `countries` are the codes that may be named.
Query parse_query(const std::string& line, std::span<const std::string> countries);
/// Ranked matches for people, or one JSON object: query, matches, entropy.
std::string show_matches(const std::string& line, const Catalogue& cities, const Answer& answer, bool json);
/// Both test sets side by side, beside the baselines.
std::string comparison(const Metrics& metrics, const std::string& attention);

}  // namespace fovea::inline FOVEA_REAL::cities
