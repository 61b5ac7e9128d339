#include "cli/lookup.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "training/text.hpp"

namespace fovea {

std::string Evaluation::json() const {
  nlohmann::ordered_json object{{"split", to_string(split)}, {"items", items}};
  object.update(nlohmann::ordered_json::parse(metrics.json()));
  return object.dump();
}

const TaskEntry& task_named(std::span<const TaskEntry> among, const std::string& name) {
  std::vector<std::string> names;
  for (const TaskEntry& task : among) {
    if (task.name == name) return task;
    names.push_back(task.name);
  }
  throw ConfigError("there is no task \"" + name + "\"" + suggestion(name, names) +
                    "; `fovea list` shows all");
}

}  // namespace fovea
