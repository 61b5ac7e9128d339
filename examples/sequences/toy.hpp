#pragma once

#include <string_view>

#include "examples/sequences/pairs.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// What is to be done with a sequence of symbols.
enum class Toy { copy, reverse, sort };

/// How many sequences, of what.
struct ToySizes {
  std::uint64_t train = 20000, validation = 500, test = 500;
  std::uint64_t symbols = 20;                // a, b, …; 2 … 26
  std::uint64_t shortest = 3, longest = 12;  // each length is as likely
};

/// Pairs of letters, no sequence in two parts or twice in one.
struct ToyPairs {
  std::vector<Pair> train, validation, test;
};

/// The same ones always for the same seed. The parts come from one stream each: a larger `train` leaves
/// validation and test what they are. ConfigError where there are not twice as many sequences of these
/// lengths as are asked for.
ToyPairs toy_pairs(Toy kind, const ToySizes& sizes, std::uint64_t seed);

/// What a source becomes.
std::string toy_target(Toy kind, std::string_view source);

}  // namespace fovea::inline FOVEA_REAL::sequences
