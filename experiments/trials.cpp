#include "experiments/trials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "training/text.hpp"

namespace fovea::experiments {

double Trained::operator[](const std::string& name) const {
  if (diverged) return std::numeric_limits<double>::quiet_NaN();
  if (name == "seconds") return seconds;
  if (name == "parameters") return static_cast<double>(parameters);
  if (name == "peak_mb") return static_cast<double>(peak_bytes) / (1 << 20);
  if (const auto found = metrics.find(name); found != metrics.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [own, value] : metrics) names.push_back(own);
  throw Error("a training has no metric \"" + name + "\", but " + list(names));
}

void run_trials(const Lab& lab, const std::string& table, std::span<const Trial> trials, Figures& into) {
  std::vector<Training> trainings;
  for (const Trial& trial : trials)
    for (const std::uint64_t seed : lab.seeds) trainings.push_back({trial.task, trial.settings, seed});
  const std::vector<Trained> trained = lab.train(trainings);
  std::size_t at = 0;
  for (const Trial& trial : trials) {
    for (const std::uint64_t seed : lab.seeds) {
      for (const Recorded& one : trial.recorded)
        into.add(table, trial.row, one.column, seed, trained[at][one.metric]);
      ++at;
    }
  }
}

Given with(Given settings, const Given& others) {
  for (const auto& [name, value] : others) {
    const auto same =
        std::find_if(settings.begin(), settings.end(), [&](const auto& own) { return own.first == name; });
    if (same == settings.end())
      settings.emplace_back(name, value);
    else
      same->second = value;
  }
  return settings;
}

}  // namespace fovea::experiments
