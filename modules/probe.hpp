#pragma once

#include <map>

#include "autograd/ops.hpp"
#include "modules/fields.hpp"
#include "modules/pass.hpp"

namespace fovea::inline FOVEA_REAL {

/// What an attention showed in one call. With an axis for the heads, also of one: scores and weights [B,
/// heads, Tq, Tk], entropy [B, heads, Tq]. What was not asked for is undefined.
struct Observed {
  const Probe* at;
  Variable scores, weights, entropy;
};

/// What is to be seen of a model's attentions in a forward pass, and what was seen:
///
///     Observations seen({.weights = true});
///     Pass pass{.observations = &seen};
///     model(x, pass);
///     for (const auto& [path, calls] : by_path(model, seen)) …   // "encoder.0.attention"
class Observations {
 public:
  /// What is seen here is also seen by `outer`, if that is there; both get what either wants.
  explicit Observations(Want want, Observations* outer = nullptr);

  const Want& want() const { return want_; }
  const std::vector<Observed>& all() const { return all_; }
  void add(Observed one);

 private:
  Want want_;
  Observations* outer_;
  std::vector<Observed> all_;
};

/// x with an axis for the one head, and one for the one query of each item, where it lacks them: of so many
/// axes in all. Undefined: undefined.
Variable by_head(const Variable& x, std::size_t rank);

/// What a module's caller wants, and what the pass wants of it beside that.
Want wanted(const Want& by_caller, const Pass& pass);
/// Notes what the pass wants of this attention, if it wants something.
void observe(const Probe& at, const Attended& shown, Pass& pass);

/// What was seen, by the path of the module that the probe stands in, in the order of calls. The model must
/// be the one that was run, at the same place in memory: else ConfigError.
template <class Module>
std::map<std::string, std::vector<Observed>> by_path(const Module& module, const Observations& seen) {
  std::map<const Probe*, std::string> paths;
  walk(module, [&](const std::string& path, const Probe& probe) {
    const std::size_t dot = path.rfind('.');
    paths[&probe] = dot == std::string::npos ? std::string() : path.substr(0, dot);
  });
  std::map<std::string, std::vector<Observed>> found;
  for (const Observed& one : seen.all()) {
    const auto path = paths.find(one.at);
    check<ConfigError>(path != paths.end(), "by_path",
                       "an attention was seen that is not of this model; was it copied or moved?");
    found[path->second].push_back(one);
  }
  return found;
}

}  // namespace fovea::inline FOVEA_REAL
