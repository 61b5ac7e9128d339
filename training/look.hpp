#pragma once

#include <span>

#include "autograd/engine.hpp"
#include "modules/probe.hpp"
#include "optim/groups.hpp"
#include "training/journal.hpp"
#include "training/plan.hpp"
#include "training/sink.hpp"
#include "training/step.hpp"
#include "training/task.hpp"
#include "training/watched.hpp"

namespace fovea::inline FOVEA_REAL {

/// What the heads of one attention show, from scores and weights of all its calls.
void add_heads(std::vector<HeadFacts>& heads, const std::string& path, std::span<const Observed> calls);
/// Norms of parameters and their gradients.
std::vector<ParamFacts> param_facts(std::span<const NamedParam> params);
/// Fills in by how much each has changed since it was `before`; all three are in one order.
void note_changes(std::vector<ParamFacts>& facts, std::span<const Tensor> before,
                  std::span<const NamedParam> params);

/// Hands the values of all parameters to a sink.
void show_parameters(RunSink& sink, std::uint64_t step, std::span<const NamedParam> params);

/// Looks at the steps after which an evaluation is made, and at the first of a run: runs the step's first
/// batch forward and backward once more, with the attentions' scores and weights written down. Changes
/// nothing of the training.
class Watcher {
 public:
  Watcher(bool on, std::uint64_t step, std::span<const ParamGroup> groups, Findings findings)
      : on_(on), looked_(step > 0), groups_(groups), findings_(std::move(findings)) {}

  template <Task T>
  void before(T& task, Plan& plan, std::uint64_t step) {
    seen_.reset();
    if (!on_ || (looked_ && !plan.evaluates(step + 1))) return;
    looked_ = true;
    Observations shown({.scores = true, .weights = true});
    const Loss loss = batch_loss(task, plan, step, 0, plan.items_of(step, 0), &shown);
    seen_ = Watched{step + 1, static_cast<double>(loss.value.item()), 0, {}, {}};
    for (const auto& [path, calls] : by_path(task.model, shown)) add_heads(seen_->heads, path, calls);
    const std::vector<NamedParam> all = parameters(task.model), params = grouped(all, groups_);
    if (loss.value.tracked()) backward(loss.value);
    seen_->params = param_facts(params);
    before_.clear();
    for (const NamedParam& one : params) before_.push_back(one.param->value());
    for (const NamedParam& one : all) one.param->clear_grad();
  }

  /// The step has been made, or left out.
  template <Task T>
  void after(T& task, Journal& journal) {
    if (!seen_) return;
    note_changes(seen_->params, before_, grouped(parameters(task.model), groups_));
    seen_->mean_loss = journal.mean_loss();
    journal.watched(*seen_, findings_.of(*seen_));
    seen_.reset();
    before_.clear();
  }

 private:
  bool on_, looked_;
  std::span<const ParamGroup> groups_;
  std::optional<Watched> seen_;
  std::vector<Tensor> before_;
  Findings findings_;
};

}  // namespace fovea::inline FOVEA_REAL
