#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "examples/sequences/answer.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// One answer to a line.
struct ShownAnswer {
  std::string text;
  std::vector<std::string> tokens;
  double log_probability = 0, score = 0;
  bool cut = false;            // it was not let go on
  Alignments alignments = {};  // empty: not to be shown
};
struct Shown {
  std::string line;
  std::vector<std::string> tokens;  // of the source
  std::vector<std::int64_t> ids;    // of these, to tell which are unknown
  std::vector<ShownAnswer> answers;
};

/// The tokens with weights of 0.1 or more, or else the one with the largest, the largest first, with their
/// places counted from 1: `P[1] 0.93`.
std::string read_off(std::span<const double> weights, std::span<const std::string> tokens);
/// Those of the tokens whose ids are unknown.
std::vector<std::string> unknown_tokens(std::span<const std::string> tokens,
                                        std::span<const std::int64_t> ids);

/// For people: `line TAB answer`, with several answers `line TAB answer TAB score` each on a line; with an
/// alignment a line below for each token of the answer, with the source's tokens that it was read off, and
/// how far. As JSON: one object, there with the weights of every attention and head.
std::string show(const Shown& shown, bool scores, bool json);

}  // namespace fovea::inline FOVEA_REAL::sequences
