#include "training/npz.hpp"

#include <set>

#include "training/npy.hpp"
#include "training/require.hpp"
#include "training/text.hpp"
#include "training/zip.hpp"

namespace fovea {
namespace {

constexpr std::string_view ending = ".npy";

}  // namespace

std::string write_npz(const Entries& arrays) {
  std::vector<ZipMember> members;
  for (const Entry& array : arrays.all()) {
    check<Error>(array.name.find('\0') == std::string::npos, "npz", one_line(array.name),
                 " has a NUL in its name, where the file's names end");
    members.push_back({array.name + std::string(ending), write_npy(array)});
  }
  return write_zip(members);
}

Arrays read_npz(std::string_view bytes, const std::string& file) {
  return within<DataError>(file, [&] {
    ZipReader zip(bytes);
    Arrays arrays;
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < zip.size(); ++i) {
      std::string name = zip.name(i);
      require(name.ends_with(ending), name, ": is no array: its name does not end in .npy");
      name.resize(name.size() - ending.size());
      within<DataError>(name, [&] {
        require(names.insert(name).second, "is there twice");
        read_npy(
            zip.open(i), [&](std::uint64_t count) { return zip.take(count); }, name, arrays);
        zip.finish();
      });
    }
    return arrays;
  });
}

}  // namespace fovea
