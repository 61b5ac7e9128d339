#include "training/arrays.hpp"

#include <algorithm>

#include "training/file.hpp"
#include "training/npz.hpp"
#include "training/safetensors.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

const std::vector<std::string> readable{".safetensors", ".npz", ".fovea"}, writable{".safetensors", ".npz"};

void check_ending(const std::filesystem::path& path, const std::vector<std::string>& known) {
  const std::string ending = path.extension().string();
  if (std::find(known.begin(), known.end(), ending) != known.end()) return;
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "" : one == known.back() ? " or " : ", ") + one;
  throw ConfigError(join(path.string(), " has ", ending.empty() ? "no" : "an unknown", " ending; expected ",
                         all, suggestion(ending, known)));
}

std::string data_of(const std::filesystem::path& path) {
  try {
    return read_file(path);
  } catch (const Error& error) {
    throw DataError(error.what());
  }
}

}  // namespace

Entries arrays_of(const Checkpoint& checkpoint) {
  Entries arrays = checkpoint.entries.under("param/");
  arrays.add_under("", checkpoint.entries.under("buffer/"));
  return arrays;
}

Arrays read_arrays(const std::filesystem::path& path) {
  check_ending(path, readable);
  if (path.extension() == ".fovea") return {arrays_of(read_checkpoint(path, Reading::to_predict)), {}};
  const std::string bytes = data_of(path);
  return path.extension() == ".npz" ? read_npz(bytes, path.string()) : read_safetensors(bytes, path.string());
}

bool is_exchange_file(const std::filesystem::path& path) {
  return std::find(writable.begin(), writable.end(), path.extension()) != writable.end();
}

void check_writable_ending(const std::filesystem::path& path) { check_ending(path, writable); }

void write_arrays(const std::filesystem::path& path, const Entries& arrays,
                  const std::map<std::string, std::string>& about) {
  check_writable_ending(path);
  replace_file(path, path.extension() == ".npz" ? write_npz(arrays) : write_safetensors(arrays, about));
}

}  // namespace fovea
