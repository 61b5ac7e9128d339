#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "optim/param_group.hpp"
#include "training/options.hpp"

namespace fovea {

/// The settings that are common to all training. A task has its own values for them, which the user's file
/// and flags override. 0 means "none" or "by itself" where a comment says so.
struct TrainConfig {
  std::uint64_t epochs = 10;
  std::uint64_t steps = 0;  // 0: given by the epochs
  std::uint64_t batch_size = 32;
  double train_size = 1;         // part of the items to learn from that is used, chosen by the seed
  std::uint64_t accumulate = 1;  // batches in an optimiser step
  double lr = 1e-3;
  std::uint64_t seed = 1;
  std::uint64_t threads = 0;      // 0: one per core
  std::string precision = "f32";  // of the operands of matrix products in training steps
  std::uint64_t eval_every = 0;   // in steps; 0: after each epoch
  std::uint64_t save_every = 0;   // in steps; 0: after each evaluation
  std::uint64_t patience = 0;     // evaluations without a better one; 0: never stop early
  double clip_norm = 1;           // 0: no clipping
  double entropy = 0;             // weight of the attention's entropy in the loss
  std::string optimizer = "adam";
  double weight_decay = 0;
  double ema = 0;  // decay of the moving average of the weights; 0: none
  std::string schedule = "constant";
  std::uint64_t warmup = 0;              // in steps
  std::uint64_t step_every = 0;          // steps between the drops of the step schedule
  double lr_factor = 0.1;                // of a drop of step and plateau
  double lr_floor = 0;                   // where cosine ends
  double lr_rise = 0.3;                  // part of the steps in which one_cycle rises
  std::uint64_t plateau_patience = 10;   // evaluations that plateau waits for a better one
  double plateau_threshold = 1e-4;       // by how much, relatively, a better one is better
  std::vector<ParamGroup> groups = {};   // rates and decays of their own, by path
  std::vector<std::string> freeze = {};  // globs of paths that are not trained
  std::string init_from;                 // checkpoint that a new run's parameters start from; empty: none
  std::vector<std::string> match = {};   // globs of the paths that are taken from it; empty: all
  std::string on_nonfinite = "stop";     // or skip:N
  std::uint64_t keep = 2;                // checkpoints of the last saves
  bool tensorboard = false;              // write its event files, too
  bool watch = false;                    // tell what attentions and gradients look like
  std::vector<std::string> interrupt_at = {};  // STEP or STEP:BATCH, from 1
  std::string out;                             // run directory; empty: runs/TASK, runs/TASK-2, …

  void describe(Options& options);
  /// `groups`, then those of `freeze`, which win.
  std::vector<ParamGroup> all_groups() const;
};

}  // namespace fovea
