#include "training/plan.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace fovea {

Plan::Plan(const TrainConfig& config, std::uint64_t items)
    : items_(items), batch_(config.batch_size), seed_(config.seed), save_every_(config.save_every) {
  check<ConfigError>(items > 0, "training", "the training split is empty");
  check<ConfigError>(batch_ > 0, "training", "--batch-size is 0");
  steps_per_epoch_ = (items - 1) / batch_ + 1;
  total_ = config.steps ? config.steps : config.epochs * steps_per_epoch_;
  eval_every_ = config.eval_every ? config.eval_every : steps_per_epoch_;
  schedule_ = {schedule_kind(config.schedule), config.lr, config.warmup, total_, 0};
}

std::span<const std::size_t> Plan::items_of(std::uint64_t step) {
  const std::uint64_t number = step / steps_per_epoch_;
  if (order_.empty() || ordered_epoch_ != number) {
    order_ = Rng(seed_).split("order").split(number).permutation(items_);
    ordered_epoch_ = number;
  }
  const std::uint64_t begin = step % steps_per_epoch_ * batch_;
  return std::span(order_).subspan(begin, std::min(batch_, items_ - begin));
}

Rng Plan::rng(std::string_view purpose, std::uint64_t step) const {
  return Rng(seed_).split(purpose).split(step);
}

bool Plan::saves(std::uint64_t steps) const {
  if (steps == total_) return true;
  return save_every_ ? steps % save_every_ == 0 : evaluates(steps);
}

}  // namespace fovea
