#pragma once

#include <optional>
#include <string>

namespace fovea {

/// What holds for the parameters whose path `glob` matches: `*` stands for any letters, also dots, `?` for
/// one.
struct ParamGroup {
  std::string glob;
  double rate = 1;                   // times the learning rate
  std::optional<double> decay = {};  // instead of the optimiser's weight decay
  bool frozen = false;               // never stepped

  bool operator==(const ParamGroup&) const = default;
};

}  // namespace fovea
