#include "training/config.hpp"

#include "optim/optimizer_names.hpp"
#include "optim/schedule.hpp"

namespace fovea {
namespace {

// All but `step`, which needs to be told when and how far.
std::vector<std::string> schedules() {
  std::vector<std::string> names = schedule_names();
  std::erase(names, "step");
  return names;
}

}  // namespace

void TrainConfig::describe(Options& options) {
  options.add("out", out, "run directory; by itself runs/TASK, runs/TASK-2, …").not_saved();
  options.add("epochs", epochs, "passes over the training data").at_least(1).may_change();
  options.add("steps", steps, "optimiser steps in place of epochs; 0: by epochs").may_change();
  options.add("batch-size", batch_size, "items in a step").at_least(1);
  options.add("lr", lr, "learning rate").above(0);
  options.add("seed", seed, "everything random follows from it");
  options.add("threads", threads, "threads, which change no result; 0: one per core")
      .between(0, 4096)
      .may_change();
  options.add("eval-every", eval_every, "steps between evaluations; 0: after each epoch").may_change();
  options.add("save-every", save_every, "steps between saves; 0: after each evaluation").may_change();
  options.add("patience", patience, "stop after so many evaluations without a better one; 0: never")
      .may_change();
  options.add("clip-norm", clip_norm, "largest norm of the gradient; 0: any").at_least(0);
  options.add("entropy", entropy, "weight of the attention's entropy in the loss; above 0 sharpens");
  options.add("optimizer", optimizer, "method").choices(optimizer_names());
  options.add("weight-decay", weight_decay, "weight decay; adam has none").at_least(0);
  options.add("schedule", schedule, "learning rate over time").choices(schedules());
  options.add("warmup", warmup, "steps over which the learning rate rises from 0");
}

}  // namespace fovea
