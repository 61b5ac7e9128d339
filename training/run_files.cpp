#include <chrono>
#include <ctime>
#include <sys/resource.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "training/file.hpp"
#include "training/run.hpp"
#include "training/text.hpp"

// The tables of a run directory, and its record.

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

std::string csv_header(const Row& row) {
  std::string line = "step,epoch,loss,lr,seconds";
  for (const Metrics::Entry& entry : row.metrics.entries) line += "," + csv_field(entry.name);
  return line + "\n";
}

std::string csv_line(const Row& row) {
  std::string line = fmt::format("{},{},{},{},{:.3f}", row.step, row.epoch, row.loss, row.rate, row.seconds);
  for (const Metrics::Entry& entry : row.metrics.entries) line += fmt::format(",{}", entry.value);
  return line + "\n";
}

std::string json_line(const Row& row) {
  Json object{{"step", row.step},
              {"epoch", row.epoch},
              {"loss", row.loss},
              {"lr", row.rate},
              {"seconds", row.seconds}};
  for (const Metrics::Entry& entry : row.metrics.entries) object[entry.name] = entry.value;
  return object.dump() + "\n";
}

// The lines of `path` that `keep` likes. A last line without its end was cut off by a crash and goes too.
template <class Keep>
void filter(const std::filesystem::path& path, const Keep& keep) {
  if (!std::filesystem::exists(path)) return;
  const std::string before = read_file(path);
  std::string after;
  for (std::size_t begin = 0, end; (end = before.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = before.substr(begin, end - begin);
    if (keep(line)) after += line + "\n";
  }
  if (after != before) replace_file(path, after);
}

std::string now() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace

void Run::describe(const About& about, std::uint64_t seed, std::uint64_t parameters,
                   const std::string& command) {
  replace_file(folder_ / "config.toml",
               "# fovea train " + label_.task + " --config config.toml\n" + label_.config);
  Json data = Json::object();
  for (const auto& [file, sum] : label_.data) data[file] = sum;
  const Json record{{"task", label_.task},
                    {"command", command},
                    {"started", now()},
                    {"version", about.version},
                    {"precision", about.precision},
                    {"cpu", about.cpu},
                    {"kernels", about.kernels},
                    {"blas_kernel", about.blas},
                    {"threads", about.threads},
                    {"seed", seed},
                    {"parameters", parameters},
                    {"data", data}};
  replace_file(folder_ / "run.json", record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  log(about.text());
  log(command);
}

void Run::conclude(const Position& at, std::uint64_t parameters, const std::string& measured) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  Json record{{"steps", at.step}};
  if (at.has_best) record["best_step"] = at.best_step;
  record["parameters"] = parameters;
  record["seconds"] = seconds_;
  record["peak_bytes"] = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  record.update(Json::parse(measured));
  replace_file(folder_ / "result.json", record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void Run::rewind(std::uint64_t step) {
  seconds_ = 0;
  filter(folder_ / "metrics.csv", [&](const std::string& line) {
    return line.starts_with("step") || std::strtoull(line.c_str(), nullptr, 10) <= step;
  });
  const auto is_kept = [&](const Json& row) {
    return row.is_object() && row.contains("step") && row["step"].is_number() && row["step"] <= step;
  };
  first_watched_loss_.reset();
  filter(folder_ / "watch.jsonl", [&](const std::string& line) {
    const Json look = Json::parse(line, nullptr, false);
    if (!is_kept(look)) return false;
    if (!first_watched_loss_ && look.contains("loss") && look["loss"].is_number())
      first_watched_loss_ = look["loss"];
    return true;
  });
  filter(folder_ / "metrics.jsonl", [&](const std::string& line) {
    const Json row = Json::parse(line, nullptr, false);
    if (!is_kept(row)) return false;
    if (row.contains("seconds") && row["seconds"].is_number()) seconds_ = row["seconds"];
    return true;
  });
}

void Run::add(const Watched& seen) {
  append_file(folder_ / "watch.jsonl", seen.json() + "\n");
  if (sink_) sink_->watched(seen);
}

void Run::add(const Row& row) {
  const std::filesystem::path table = folder_ / "metrics.csv";
  std::error_code none_yet;
  const std::uintmax_t size = std::filesystem::file_size(table, none_yet);
  const bool begins = none_yet || size == 0;  // after a crash its head can have been cut off, and taken out
  append_file(table, (begins ? csv_header(row) : "") + csv_line(row));
  append_file(folder_ / "metrics.jsonl", json_line(row));
  seconds_ = row.seconds;
  if (sink_) sink_->row(row);
}

}  // namespace fovea
