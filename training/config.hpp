#pragma once

#include <cstdint>
#include <string>

#include "training/options.hpp"

namespace fovea {

/// The settings that are common to all training. A task has its own values for them, which the user's file
/// and flags override. 0 means "none" or "by itself" where a comment says so.
struct TrainConfig {
  std::uint64_t epochs = 10;
  std::uint64_t steps = 0;  // 0: given by the epochs
  std::uint64_t batch_size = 32;
  double lr = 1e-3;
  std::uint64_t seed = 1;
  std::uint64_t threads = 0;     // 0: one per core
  std::uint64_t eval_every = 0;  // in steps; 0: after each epoch
  std::uint64_t save_every = 0;  // in steps; 0: after each evaluation
  std::uint64_t patience = 0;    // evaluations without a better one; 0: never stop early
  double clip_norm = 1;          // 0: no clipping
  double entropy = 0;            // weight of the attention's entropy in the loss
  std::string optimizer = "adam";
  double weight_decay = 0;
  std::string schedule = "constant";
  std::uint64_t warmup = 0;  // in steps
  std::string out;           // run directory; empty: runs/TASK, runs/TASK-2, …

  void describe(Options& options);
};

}  // namespace fovea
