#include "cli/gradcheck_bridge.hpp"

#include "cli/lookup.hpp"

namespace fovea {

bool gradcheck_in_double(const std::string& task,
                         const std::vector<std::pair<std::string, std::string>>& flags, std::string& report) {
  const TaskEntry& entry = task_named(tasks(), task);
  const std::unique_ptr<Settings> settings = entry.settings();
  for (const auto& [name, text] : flags) settings->options.set(name, text);
  return entry.gradcheck(*settings, report);
}

}  // namespace fovea
