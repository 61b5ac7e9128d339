#include "training/npz.hpp"

#include "fuzz/fuzz.hpp"
#include "fuzz/same_arrays.hpp"
#include "training/zip.hpp"

namespace fovea::fuzz {
namespace {

void read(std::string_view bytes) {
  const auto first = answer<DataError>([&] { return read_npz(bytes, "file"); });
  if (!first) return;
  require(same_arrays(first->read, read_npz(write_npz(first->read), "file").read),
          "arrays that were written are read as others");
}

}  // namespace

void run(std::string_view bytes) {
  // Zeros are compressed to a thousandth, and are held twice while they become an array.
  allow(std::size_t{2 * 1032} * bytes.size());
  read(bytes);
  // A member's checksum stops whatever is not whole, so one array is also handed in under a right one.
  read(write_zip({{"w.npy", std::string(bytes)}}));
}

}  // namespace fovea::fuzz
