#include "training/npz.hpp"

#include "training/npy.hpp"
#include "training/zip.hpp"

namespace fovea {
namespace {

constexpr std::string_view ending = ".npy";

// Runs `read`, whose DataError then says where it happened.
template <class Read>
auto within(const std::string& where, const Read& read) {
  try {
    return read();
  } catch (const DataError& error) {
    throw DataError(where + ": " + error.what());
  }
}

}  // namespace

std::string write_npz(const Entries& arrays) {
  std::vector<ZipMember> members;
  for (const Entry& array : arrays.all())
    members.push_back({array.name + std::string(ending), write_npy(array)});
  return write_zip(members);
}

Entries read_npz(std::string_view bytes, const std::string& file) {
  return within(file, [&] {
    ZipReader zip(bytes);
    Entries arrays;
    for (std::uint64_t i = 0; i < zip.size(); ++i) {
      std::string name = zip.name(i);
      const bool is_array = name.ends_with(ending);
      if (!is_array) throw DataError(name + ": is no array: its name does not end in .npy");
      name.resize(name.size() - ending.size());
      within(name, [&] {
        if (arrays.find(name)) throw DataError("is there twice");
        Entry array = read_npy(zip.open(i), [&](std::uint64_t count) { return zip.take(count); });
        zip.finish();
        arrays.add(name, std::move(array.shape), std::move(array.values));
      });
    }
    return arrays;
  });
}

}  // namespace fovea
