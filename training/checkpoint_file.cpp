#include "training/checkpoint_file.hpp"

#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <sstream>

#include "training/arrays.hpp"
#include "training/file.hpp"

namespace fovea {
namespace {

constexpr const char* advice = "; take another checkpoint of that run, or train again";

// One list of what a position is, for writing and reading.
template <class P, class Whole, class Real>
void each_count(P& at, const Whole& whole, const Real& real) {
  whole("step", at.step);
  whole("items", at.items);
  whole("best_step", at.best_step);
  whole("stale", at.stale);
  whole("loss_count", at.loss_count);
  real("loss_sum", at.loss_sum);
}

void write_position(Entries& entries, const Position& at) {
  const std::string prefix = "position/";
  each_count(
      at, [&](const char* name, std::uint64_t value) { entries.add_number(prefix + name, value); },
      [&](const char* name, double value) { entries.add_real(prefix + name, value); });
  if (at.has_best) entries.add_real(prefix + "best", at.best);
  if (!at.best_ties.empty()) entries.add(prefix + "best_ties", at.best_ties);
  if (at.skipped) entries.add_number(prefix + "skipped", at.skipped);
  if (at.plateau == Plateau::Seen{}) return;
  entries.add_number(prefix + "plateau.any", at.plateau.any);
  entries.add_real(prefix + "plateau.best", at.plateau.best);
  entries.add_number(prefix + "plateau.bad", at.plateau.bad);
  entries.add_real(prefix + "plateau.scale", at.plateau.scale);
}

Position read_position(const Entries& entries) {
  Position at;
  const std::string prefix = "position/";
  each_count(
      at, [&](const char* name, std::uint64_t& value) { value = entries.number(prefix + name); },
      [&](const char* name, double& value) { value = entries.real(prefix + name); });
  at.has_best = entries.find(prefix + "best") != nullptr;
  if (at.has_best) at.best = entries.real(prefix + "best");
  if (entries.find(prefix + "best_ties")) at.best_ties = entries.values<double>(prefix + "best_ties");
  if (entries.find(prefix + "skipped")) at.skipped = entries.number(prefix + "skipped");
  if (entries.find(prefix + "plateau.scale")) {
    at.plateau = {entries.number(prefix + "plateau.any") != 0, entries.real(prefix + "plateau.best"),
                  entries.number(prefix + "plateau.bad"), entries.real(prefix + "plateau.scale")};
  }
  return at;
}

Label read_label(const Entries& entries) {
  Label label{entries.text("task"), entries.text("config"), {}};
  const auto& files = entries.values<std::string>("data/files");
  const auto& sums = entries.values<std::string>("data/checksums");
  check<CheckpointError>(files.size() == sums.size(), "checkpoint", files.size(), " data files have ",
                         sums.size(), " checksums");
  for (std::size_t i = 0; i < files.size(); ++i) label.data.emplace_back(files[i], sums[i]);
  return label;
}

// A file as a stream that can be read twice: once for its checksum, once for what is wanted of it.
std::unique_ptr<std::istream> open(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
    if (file->is_open()) return file;
  }
  return std::make_unique<std::istringstream>(read_file(path));  // a pipe, or it tells why not
}

bool is_to_predict(std::string_view name) { return !is_of_training(name); }

Checkpoint parse(std::istream& file, const std::string& origin, Reading what) {
  try {
    Checkpoint checkpoint;
    checkpoint.origin = origin;
    const std::uint64_t size = envelope::unwrap(envelope::checkpoint, file);
    checkpoint.entries = Entries::unpack(
        file, size, what == Reading::all ? Entries::Wanted() : Entries::Wanted(is_to_predict));
    checkpoint.label = read_label(checkpoint.entries);
    checkpoint.position = read_position(checkpoint.entries);
    return checkpoint;
  } catch (const envelope::NewerVersion& error) {
    throw CheckpointError(origin + ": " + error.what() + "; use a newer fovea");
  } catch (const envelope::Unreadable& error) {
    throw CheckpointError(origin + ": " + error.what());
  } catch (const std::bad_alloc&) {  // which says nothing of the file
    throw;
  } catch (const std::exception& error) {  // ours, or what cereal throws
    throw DamagedError(origin + ": " + error.what() + advice);
  }
}

}  // namespace

Checkpoint parse_checkpoint(std::string_view bytes, const std::string& origin) {
  std::istringstream file{std::string(bytes)};
  return parse(file, origin, Reading::all);
}

std::string_view array_path(const Entry& entry) {
  for (const std::string_view prefix : {"param/", "buffer/"})
    if (entry.name.starts_with(prefix)) return std::string_view(entry.name).substr(prefix.size());
  return {};
}

bool is_of_training(std::string_view name) {
  return name.starts_with("optimizer/") || name.starts_with("weights/");
}

double Position::mean_loss() const {
  return loss_count ? loss_sum / static_cast<double>(loss_count) : std::numeric_limits<double>::quiet_NaN();
}

Checkpoint read_checkpoint(const std::filesystem::path& path, Reading what) {
  check<CheckpointError>(!std::filesystem::is_directory(path), "checkpoint", path.string(),
                         " is a folder; of a run take its checkpoints/best.fovea or checkpoints/last.fovea");
  std::unique_ptr<std::istream> file;
  try {
    file = open(path);
  } catch (const Error& error) {
    throw CheckpointError(error.what());
  }
  check<CheckpointError>(!is_exchange_file(path), "checkpoint", path.string(),
                         " holds arrays alone; `fovea import ", path.string(),
                         " --into CKPT -o NEW.fovea` puts them into a checkpoint first");
  return parse(*file, path.string(), what);
}

std::string checkpoint_bytes(const Label& label, const Position& position, const Entries& numbers) {
  Entries all;
  all.add_text("task", label.task);
  all.add_text("config", label.config);
  std::vector<std::string> files, sums;
  for (const auto& [file, sum] : label.data) {
    files.push_back(file);
    sums.push_back(sum);
  }
  all.add("data/files", std::move(files));
  all.add("data/checksums", std::move(sums));
  write_position(all, position);
  all.add_under("", numbers);
  return envelope::wrap(envelope::checkpoint, all.pack());
}

void write_checkpoint(const std::filesystem::path& path, const Label& label, const Position& position,
                      const Entries& numbers) {
  replace_file(path, checkpoint_bytes(label, position, numbers));
}

}  // namespace fovea
