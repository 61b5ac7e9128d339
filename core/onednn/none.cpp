#include "core/check.hpp"
#include "core/onednn/onednn.hpp"
#include "core/onednn/stand_in.hpp"

// Where Fovea is built without the headers of oneDNN.
namespace fovea::onednn {

const std::string& fault() {
  static const std::string text =
      "this program was built without oneDNN (version 2, Debian's libdnnl-dev); build it where that is "
      "installed";
  return text;
}

const std::string& fault_of_library() { return fault(); }

void multiply(Kind, std::size_t, std::size_t, std::size_t, Factor, Factor, float*, std::size_t) {
  throw Error("[oneDNN] " + fault());
}

StandIn::StandIn() = default;
StandIn::~StandIn() = default;

std::string description() { return {}; }

}  // namespace fovea::onednn
