#include "training/config.hpp"

#include "core/precision.hpp"
#include "optim/optimizer_names.hpp"
#include "optim/schedule.hpp"

namespace fovea {
namespace {

// Besides those that are functions of the step there is one that follows the evaluations.
std::vector<std::string> schedules() {
  std::vector<std::string> names = schedule_names();
  names.push_back("plateau");
  return names;
}

}  // namespace

void TrainConfig::describe(Options& options) {
  options.add("out", out, "run directory; by itself runs/TASK, runs/TASK-2, …").not_saved();
  options.add("epochs", epochs, "passes over the training data").at_least(1).may_change();
  options.add("steps", steps, "optimiser steps to train for, in place of --epochs; 0: by epochs")
      .may_change();
  options.add("train-size", train_size, "part of the data to learn from that is used, chosen by the seed")
      .between(1e-9, 1);
  options.add("batch-size", batch_size, "items in a batch").at_least(1);
  options.add("accumulate", accumulate, "batches whose gradients make one step; fewer at an epoch's end")
      .at_least(1);
  options.add("lr", lr, "learning rate").above(0);
  options.add("seed", seed, "everything random follows from it");
  options.add("threads", threads, "threads, which change no result; 0: one per core")
      .between(0, 4096)
      .may_change();
  options
      .add("precision", precision,
           "what the operands of a training step's matrix products are rounded to; sums, weights and "
           "evaluations "
           "are f32")
      .choices(precision_names());
  options.add("eval-every", eval_every, "steps between evaluations; 0: after each epoch").may_change();
  options.add("save-every", save_every, "steps between saves; 0: after each evaluation").may_change();
  options.add("patience", patience, "stop after so many evaluations without a better one; 0: never")
      .may_change();
  options.add("clip-norm", clip_norm, "largest norm of the gradient; 0: any").at_least(0);
  options.add("entropy", entropy, "weight of the attention's entropy in the loss; above 0 sharpens");
  options.add("optimizer", optimizer, "method").choices(optimizer_names());
  options.add("weight-decay", weight_decay, "weight decay; adam has none").at_least(0);
  options.add("schedule", schedule, "learning rate over time").choices(schedules());
  options.add("warmup", warmup, "steps over which the learning rate rises from 0")
      .only_with("schedule", {"constant", "cosine", "step", "inverse_sqrt", "plateau"});
  options.add("step-every", step_every, "steps between two drops of the rate")
      .only_with("schedule", {"step"});
  options.add("lr-factor", lr_factor, "what a drop multiplies the rate by")
      .above(0)
      .only_with("schedule", {"step", "plateau"});
  options.add("lr-floor", lr_floor, "learning rate at the end").at_least(0).only_with("schedule", {"cosine"});
  options.add("lr-rise", lr_rise, "part of the steps in which the rate rises")
      .between(0, 1)
      .only_with("schedule", {"one_cycle"});
  options.add("plateau-patience", plateau_patience, "evaluations to wait for a better one before a drop")
      .only_with("schedule", {"plateau"});
  options.add("plateau-threshold", plateau_threshold, "part by which an evaluation has to be better")
      .at_least(0)
      .only_with("schedule", {"plateau"});
  options.add("ema", ema, "decay of a moving average of the weights, used to evaluate and predict; 0: none")
      .between(0, 0.9999999);
  options.add("freeze", freeze, "globs of parameters that are not trained, like encoder.*");
  options.add("init-from", init_from, "checkpoint whose parameters a new run starts from");
  options.add("match", match, "globs of the parameters that are taken from --init-from; without any, all");
  options
      .add("on-nonfinite", on_nonfinite,
           "what to do about a step whose loss or gradient is not finite: stop, or skip:N to leave out up to "
           "N "
           "in a row")
      .may_change();
  options.add("keep", keep, "checkpoints of the last saves that are kept, beside the best")
      .at_least(1)
      .may_change();
  options
      .add("watch", watch,
           "tell what attentions and gradients look like at each evaluation, and what is amiss")
      .not_saved()
      .may_change();
  options.add("tensorboard", tensorboard, "write event files for TensorBoard to the run's folder tensorboard")
      .not_saved()
      .may_change();
  options
      .add("interrupt-at", interrupt_at,
           "STEP or STEP:BATCH at which a signal comes as by Ctrl-C, to try out a resume")
      .not_saved()
      .may_change();
  options.add("groups", groups, "parameters with a rate or decay of their own");
}

std::vector<ParamGroup> TrainConfig::all_groups() const {
  std::vector<ParamGroup> all = groups;
  for (const std::string& glob : freeze) all.push_back({.glob = glob, .frozen = true});
  return all;
}

}  // namespace fovea
