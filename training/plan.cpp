#include "training/plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/number.hpp"

namespace fovea {
namespace {

// Batches that are sorted together. More save little padding and make an epoch's batches more alike each
// time.
constexpr std::uint64_t window_batches = 50;

// `order` with items of like length in one batch, and the batches in random order.
std::vector<std::size_t> bucketed(std::vector<std::size_t> order, const std::vector<std::size_t>& lengths,
                                  std::size_t batch, Rng rng) {
  const std::size_t window = std::min(order.size(), window_batches * std::min(batch, order.size()));
  for (std::size_t begin = 0; begin < order.size(); begin += window) {
    const std::size_t end = std::min(begin + window, order.size());
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](std::size_t a, std::size_t b) { return lengths[a] < lengths[b]; });
  }
  std::vector<std::size_t> result;
  result.reserve(order.size());
  for (const std::size_t number : rng.permutation(order.size() / batch)) {
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(number * batch);
    result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(batch));
  }
  result.insert(result.end(), order.begin() + static_cast<std::ptrdiff_t>(result.size()), order.end());
  return result;
}

// `stop` or `skip:N`
std::uint64_t skips_of(std::string_view text) {
  if (text == "stop") return 0;
  const auto most = number_behind("skip:", text);
  check<ConfigError>(most && *most > 0, "--on-nonfinite",
                     "expected stop or skip:N with N of at least 1, got \"", text, "\"");
  return *most;
}

// `STEP` or `STEP:BATCH`, both from 1; here from 0
std::pair<std::uint64_t, std::uint64_t> batch_named(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto step = number_in(text.substr(0, colon));
  const auto batch = colon == text.npos ? std::optional<std::uint64_t>(1) : number_in(text.substr(colon + 1));
  check<ConfigError>(step && batch && *step > 0 && *batch > 0, "--interrupt-at",
                     "expected STEP or STEP:BATCH, counted from 1, got \"", text, "\"");
  return {*step - 1, *batch - 1};
}

}  // namespace

Plan::Plan(const TrainConfig& config, std::uint64_t items, std::vector<std::size_t> lengths)
    : items_(items),
      used_(static_cast<std::uint64_t>(std::ceil(config.train_size * static_cast<double>(items)))),
      batch_(config.batch_size),
      accumulate_(config.accumulate),
      seed_(config.seed),
      save_every_(config.save_every),
      may_skip_(skips_of(config.on_nonfinite)),
      lengths_(std::move(lengths)) {
  check<ConfigError>(items > 0, "training", "the training split is empty");
  check<ConfigError>(batch_ > 0, "training", "--batch-size is 0");
  check<ConfigError>(accumulate_ > 0, "training", "--accumulate is 0");
  check(lengths_.empty() || lengths_.size() == items, "training", lengths_.size(), " lengths for ", items,
        " items; expected one for each");
  check<ConfigError>(0 < used_ && used_ <= items, "--train-size", config.train_size, " of ", items,
                     " items; expected a part above 0, at most 1");
  if (used_ < items) {
    chosen_ = Rng(seed_).split("train-size").permutation(items);
    chosen_.resize(used_);
  }
  batches_per_epoch_ = (used_ - 1) / batch_ + 1;
  steps_per_epoch_ = (batches_per_epoch_ - 1) / accumulate_ + 1;
  for (const std::string& text : config.interrupt_at) {
    interrupts_.push_back(batch_named(text));
    // The second signal in a step would end the program at once.
    for (std::size_t i = 0; i + 1 < interrupts_.size(); ++i)
      check<ConfigError>(interrupts_[i].first != interrupts_.back().first, "--interrupt-at", "step ",
                         interrupts_[i].first + 1, " is named twice; a step is stopped once");
  }
  total_ = config.steps ? config.steps : config.epochs * steps_per_epoch_;
  eval_every_ = config.eval_every ? config.eval_every : steps_per_epoch_;
  if (config.schedule == "plateau") {
    plateau_ = {config.lr_factor, config.plateau_patience, config.plateau_threshold, false};
  } else {
    schedule_.kind = schedule_kind(config.schedule);
  }
  check<ConfigError>(schedule_.kind != Schedule::Kind::step || config.step_every > 0, "training",
                     "the step schedule needs --step-every: the steps between two drops");
  schedule_.base = config.lr;
  schedule_.warmup = config.warmup;
  schedule_.total = total_;
  schedule_.floor = config.lr_floor;
  schedule_.every = config.step_every;
  schedule_.factor = config.lr_factor;
  schedule_.rise = config.lr_rise;
}

void Plan::observe(std::uint64_t steps, const Metrics& metrics, Plateau::Seen& seen) const {
  if (!plateau_ || !due(steps)) return;
  Plateau plateau = *plateau_;
  plateau.higher_is_better = metrics.higher_is_better;
  plateau.observe(metrics.selected_value(), seen);
}

std::uint64_t Plan::batches(std::uint64_t step) const {
  return std::min(accumulate_, batches_per_epoch_ - step % steps_per_epoch_ * accumulate_);
}

std::uint64_t Plan::number_of(std::uint64_t step, std::uint64_t batch) const {
  return step / steps_per_epoch_ * batches_per_epoch_ + step % steps_per_epoch_ * accumulate_ + batch;
}

std::vector<std::size_t> Plan::order(std::uint64_t epoch) const {
  std::vector<std::size_t> order = Rng(seed_).split("order").split(epoch).permutation(used_);
  if (!chosen_.empty())
    for (std::size_t& item : order) item = chosen_[item];
  if (lengths_.empty()) return order;
  return bucketed(std::move(order), lengths_, batch_, Rng(seed_).split("batches").split(epoch));
}

std::span<const std::size_t> Plan::items_of(std::uint64_t step, std::uint64_t batch) {
  const std::uint64_t number = step / steps_per_epoch_;
  if (order_.empty() || ordered_epoch_ != number) {
    order_ = order(number);
    ordered_epoch_ = number;
  }
  const std::uint64_t begin = number_of(step, batch) % batches_per_epoch_ * batch_;
  return std::span(order_).subspan(begin, std::min(batch_, used_ - begin));
}

Rng Plan::rng(std::string_view purpose, std::uint64_t step, std::uint64_t batch) const {
  return Rng(seed_).split(purpose).split(number_of(step, batch));
}

bool Plan::interrupts(std::uint64_t step, std::uint64_t batch) {
  return std::erase(interrupts_, std::pair(step, batch)) > 0;
}

bool Plan::saves(std::uint64_t steps) const {
  if (steps == total_) return true;
  return save_every_ ? steps % save_every_ == 0 : evaluates(steps);
}

}  // namespace fovea
