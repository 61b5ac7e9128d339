#include "fuzz/fuzz.hpp"
#include "training/checkpoint_file.hpp"
#include "training/file.hpp"

namespace fovea::fuzz {
namespace {

std::string written(const Checkpoint& read) {
  Entries numbers;
  for (const Entry& entry : read.entries.all()) {
    bool own = entry.name == "task" || entry.name == "config";
    for (const char* prefix : {"data/", "position/"}) own = own || entry.name.starts_with(prefix);
    if (!own) numbers.add(entry.name, entry.shape, entry.values);
  }
  return checkpoint_bytes(read.label, read.position, numbers);
}

void read(std::string_view bytes) {
  const auto first = answer<CheckpointError>([&] { return parse_checkpoint(bytes, "file"); });
  if (!first) return;
  const std::string packed = first->entries.pack();
  require(Entries::unpack(packed).pack() == packed, "entries that were written are read as others");
  const std::string again = written(*first);
  require(written(parse_checkpoint(again, "file")) == again,
          "a checkpoint that was written is read as another");
}

}  // namespace

void run(std::string_view bytes) {
  read(bytes);
  // The checksum stops whatever is not a whole file, so the inside is also handed in under a right one.
  read(envelope::wrap(envelope::checkpoint, bytes));
}

}  // namespace fovea::fuzz
