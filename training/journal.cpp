#include "training/journal.hpp"

#include <cmath>

#include <fmt/format.h>

#include "training/text.hpp"

namespace fovea {

Journal::Journal(const Plan& plan, Position& position, Run* run)
    : plan_(plan), at_(position), run_(run), progress_(plan.total(), position.step) {
  at_.items = plan.items();
  if (!run_) return;
  run_->rewind(at_.step);
  seconds_before_ = run_->seconds();
}

std::string Journal::status() const {
  return "loss " + brief(at_.mean_loss()) + (shown_.empty() ? "" : "  ") + shown_;
}

void Journal::step(double loss) {
  ++at_.step;
  at_.skipped = 0;
  at_.loss_sum += loss;
  ++at_.loss_count;
  progress_.show(at_.step, loss, status());
}

void Journal::skipped(const std::string& reason) {
  ++at_.step;
  ++at_.skipped;
  const std::string text =
      fmt::format("{}; left out, {} in a row of at most {}", reason, at_.skipped, plan_.may_skip());
  progress_.line(text);
  if (run_) run_->warn(text);
}

void Journal::watched(const Watched& seen, const std::vector<std::string>& findings) {
  progress_.line(seen.table());
  for (const std::string& finding : findings) progress_.line("warning: " + finding);
  if (!run_) return;
  run_->add(seen);
  for (const std::string& finding : findings) run_->warn(finding);
}

bool Journal::evaluated(const Metrics& metrics) {
  const double value = metrics.selected_value();
  const bool better = std::isfinite(value) && (!at_.has_best || metrics.better_than(at_.best, at_.best_ties));
  const bool due = plan_.due(at_.step);
  if (due) at_.stale = better ? 0 : at_.stale + 1;
  if (due && better) {
    at_.has_best = true;
    at_.best = value;
    at_.best_ties = metrics.tie_values();
    at_.best_step = at_.step;
  }
  shown_ = metrics.selected + " " + brief(value);
  write(metrics);
  return better;
}

void Journal::summed() { write({}); }

void Journal::write(const Metrics& metrics) {
  const double mean = at_.mean_loss();  // NaN when all steps since the last row were left out
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const Row row{at_.step,
                plan_.epoch(at_.step),
                mean,
                plan_.rate(at_.step - 1) * at_.plateau.scale,
                seconds_before_ + spent,
                metrics};
  std::string text =
      fmt::format("epoch {}  step {}/{}  loss {}", row.epoch, row.step, plan_.total(), brief(mean));
  for (const Metrics::Entry& entry : metrics.entries)
    if (!entry.detail) text += fmt::format("  {} {}", entry.name, brief(entry.value));
  progress_.line(text);
  if (run_) {
    run_->log(text);
    run_->add(row);
  }
  if (!plan_.due(at_.step)) return;  // the next row of a longer run starts at the last one that was due
  at_.loss_sum = 0;
  at_.loss_count = 0;
}

}  // namespace fovea
