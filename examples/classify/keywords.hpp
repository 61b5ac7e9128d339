#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "examples/sequences/tokens.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// What an attention looks at in the texts of each class. Of words, each counts with its weight; of letters
/// the three in a row with the most weight together, the first of equals, where `^` and `$` stand for the
/// ends of the text.
class Keywords {
 public:
  Keywords(std::size_t classes, sequences::Tokens kind) : kind_(kind), texts_(classes), sums_(classes) {}

  /// A text of the class, with a weight for each of its tokens.
  void add(std::size_t label, std::span<const std::string> tokens, std::span<const double> weights);

  struct Keyword {
    std::string text;
    double weight = 0;  // its mean over the texts of the class, 0 where it does not occur
  };
  /// The heaviest ones that were found in at least two texts, ties by their bytes.
  std::vector<Keyword> best(std::size_t label, std::size_t most) const;

 private:
  struct Sum {
    double weight = 0;
    std::size_t texts = 0;
  };
  sequences::Tokens kind_;
  std::vector<std::size_t> texts_;
  std::vector<std::map<std::string, Sum>> sums_;
};

}  // namespace fovea::inline FOVEA_REAL::classify
