#pragma once

#include <string>
#include <vector>

namespace fovea {

/// An attention, or a change of one, that a setting of tasks chooses.
struct AttentionSystem {
  std::string option;  // the setting …
  std::string value;   // … and what it has to be; empty: any
  std::string about;   // in one line

  /// As on the command line: `--attention dot`, `--window N`.
  std::string flags() const;
};

/// All that settings which describe_attention and describe_heads describe can choose.
const std::vector<AttentionSystem>& attention_systems();

}  // namespace fovea
