#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "report/curves.hpp"
#include "training/file.hpp"
#include "training/text.hpp"

namespace fovea::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// Curves by name in the order in which the names come up.
class Curves {
 public:
  void add(const std::string& name, double x, double y) {
    const auto [at, is_new] = places_.emplace(name, all.size());
    if (is_new) all.push_back({name, {}, {}});
    all[at->second].x.push_back(x);
    all[at->second].y.push_back(y);
  }
  std::vector<Curve> all;

 private:
  std::map<std::string, std::size_t> places_;
};

double number_of(const Json& value) { return value.is_number() ? value.get<double>() : missing; }

// Calls `use` with each whole line of a file of JSON objects that have a step.
void read_lines(const fs::path& file, const std::function<void(double step, const Json& row)>& use) {
  if (!fs::exists(file)) return;
  const std::string text = read_file(file);
  std::size_t number = 0;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    ++number;
    const Json row = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                 text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    const bool is_row = row.is_object() && row.contains("step") && row["step"].is_number();
    check<DataError>(is_row, file.string() + ":" + std::to_string(number),
                     "is no JSON object with a number \"step\", as training writes them");
    use(row["step"].get<double>(), row);
  }
}

// What a file of JSON holds; nothing where there is no such file.
Json read_object(const fs::path& file) {
  if (!fs::exists(file)) return Json::object();
  Json object = Json::parse(read_file(file), nullptr, false);
  check<DataError>(object.is_object(), file.string(), "is no JSON object, as training writes it");
  return object;
}

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

// What result.json says of the run itself; all else there was measured.
const std::vector<std::string>& not_measured() {
  static const std::vector<std::string> names{"steps",      "best_step", "parameters", "seconds",
                                              "peak_bytes", "split",     "items"};
  return names;
}

void add_facts(RunRecord& run, const Json& described, const Json& result) {
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) run.facts.emplace_back(label, text);
  };
  const auto count = [](const Json& object, const char* name) {
    return object.contains(name) ? for_people(number_of(object[name])) : std::string();
  };
  add("task", run.task);
  add("parameters", count(described, "parameters"));
  add("steps", count(result, "steps"));
  add("best step", count(result, "best_step"));
  if (result.contains("seconds")) add("training took", duration(number_of(result["seconds"])));
  if (result.contains("peak_bytes"))
    add("memory at most", fmt::format("{:.3g} MB", number_of(result["peak_bytes"]) / 1e6));
  add("started", text_of(described, "started"));
  add("seed", text_of(described, "seed"));
  add("threads", text_of(described, "threads"));
  add("precision", text_of(described, "precision"));
  add("processor", text_of(described, "cpu"));
  add("kernels", text_of(described, "kernels"));
  add("Fovea", text_of(described, "version"));
  if (result.contains("split"))
    run.results_of = fmt::format("{} split, {} items", text_of(result, "split"), count(result, "items"));
  for (const auto& [name, value] : result.items()) {
    const bool is_measured =
        std::find(not_measured().begin(), not_measured().end(), name) == not_measured().end();
    if (is_measured && (value.is_number() || value.is_null()))
      run.results.emplace_back(
          name, for_people(number_of(value)) + (unit_of(name).empty() ? "" : " " + unit_of(name)));
  }
}

// The parts of a folder's name, from its last one to the root.
std::vector<std::string> parts_of(const fs::path& folder) {
  std::vector<std::string> parts;
  for (const fs::path& part : fs::absolute(folder).lexically_normal())
    if (!part.empty() && part != "/") parts.insert(parts.begin(), part.string());
  return parts;
}

}  // namespace

std::vector<std::string> names_apart(std::span<const fs::path> folders) {
  std::vector<std::vector<std::string>> parts;
  for (const fs::path& folder : folders) parts.push_back(parts_of(folder));
  std::vector<std::string> names;
  for (const auto& own : parts) {
    std::size_t count = 1;  // of parts that are told
    for (const auto& other : parts) {
      if (other == own) continue;
      const auto differs = std::mismatch(own.begin(), own.end(), other.begin(), other.end()).first;
      count = std::max(count, static_cast<std::size_t>(differs - own.begin()) + 1);
    }
    std::string name;
    for (std::size_t i = std::min(count, own.size()); i-- > 0;) name += (name.empty() ? "" : "/") + own[i];
    names.push_back(std::move(name));
  }
  return names;
}

RunRecord read_run(const fs::path& folder) {
  check<ConfigError>(fs::exists(folder / "run.json") || fs::exists(folder / "metrics.jsonl"), "plot",
                     folder.string(),
                     fs::is_directory(folder) ? " has neither run.json nor metrics.jsonl" : " is no folder",
                     "; name the folder of a run, as fovea train makes it");
  RunRecord run;
  run.name = names_apart(std::span(&folder, 1)).front();
  const Json described = read_object(folder / "run.json");
  run.task = text_of(described, "task");
  run.command = text_of(described, "command");
  add_facts(run, described, read_object(folder / "result.json"));
  if (fs::exists(folder / "config.toml")) run.config = read_file(folder / "config.toml");

  Curves metrics, watched;
  read_lines(folder / "metrics.jsonl", [&](double step, const Json& row) {
    ++run.rows;
    for (const auto& [name, value] : row.items())
      if (name != "step") metrics.add(name, step, number_of(value));
  });
  read_lines(folder / "watch.jsonl", [&](double step, const Json& row) {
    if (row.contains("gradient")) watched.add("gradient", step, number_of(row["gradient"]));
    if (!row.contains("attentions") || !row["attentions"].is_array()) return;
    for (const Json& head : row["attentions"]) {
      if (!head.is_object()) continue;
      const std::string place = text_of(head, "path") + " " + text_of(head, "head");
      for (const char* what : {"evenness", "saturated"})
        if (head.contains(what)) watched.add(fmt::format("{}/{}", what, place), step, number_of(head[what]));
    }
  });
  run.metrics = std::move(metrics.all);
  run.watched = std::move(watched.all);
  return run;
}

}  // namespace fovea::report
