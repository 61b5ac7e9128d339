#include "training/safetensors.hpp"

#include "fuzz/fuzz.hpp"
#include "fuzz/same_arrays.hpp"

namespace fovea::fuzz {

void run(std::string_view bytes) {
  const auto first = answer<DataError>([&] { return read_safetensors(bytes, "file"); });
  if (!first) return;
  require(same_arrays(first->read,
                      read_safetensors(write_safetensors(first->read, {{"format", "fovea"}}), "file").read),
          "arrays that were written are read as others");
}

}  // namespace fovea::fuzz
