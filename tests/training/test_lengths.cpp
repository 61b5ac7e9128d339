#include <algorithm>
#include <csignal>

#include <catch2/catch.hpp>

#include "training/file.hpp"
#include "training/fit.hpp"
#include "training/folder.hpp"
#include "training/line_task.hpp"

// Batches of items of like length.

using namespace fovea;
using Catch::Contains;

namespace {

using Lengths = std::vector<std::size_t>;
using Items = std::vector<std::size_t>;

Lengths random_lengths(std::size_t items) {
  Rng rng(8);
  Lengths lengths(items);
  for (std::size_t& length : lengths) length = 1 + rng.below(40);
  return lengths;
}

TrainConfig config_of(std::uint64_t batch_size, std::uint64_t seed = 1) {
  TrainConfig config = LineTask::defaults();
  config.batch_size = batch_size;
  config.seed = seed;
  return config;
}

// The batches of an epoch.
std::vector<Items> batches_of(Plan& plan, std::uint64_t epoch) {
  std::vector<Items> batches;
  const std::uint64_t steps = plan.steps_per_epoch();
  for (std::uint64_t step = epoch * steps; step < (epoch + 1) * steps; ++step) {
    for (std::uint64_t k = 0; k < plan.batches(step); ++k) {
      const auto items = plan.items_of(step, k);
      batches.emplace_back(items.begin(), items.end());
    }
  }
  return batches;
}

// What batches hold when each is padded to its longest.
std::size_t padded(const std::vector<Items>& batches, const Lengths& lengths) {
  std::size_t sum = 0;
  for (const Items& batch : batches) {
    std::size_t longest = 0;
    for (const std::size_t item : batch) longest = std::max(longest, lengths[item]);
    sum += longest * batch.size();
  }
  return sum;
}

std::size_t total(const Lengths& lengths) {
  std::size_t sum = 0;
  for (const std::size_t length : lengths) sum += length;
  return sum;
}

struct Ragged : LineTask {
  using LineTask::LineTask;
  std::uint64_t signal_at = ~std::uint64_t{0};
  std::size_t length(Split, std::size_t item) const { return 1 + item * 7 % 11; }
  Loss loss(const Batch& batch, Pass& pass) {
    if (calls == signal_at) ::raise(SIGINT);
    return LineTask::loss(batch, pass);
  }
};

}  // namespace

TEST_CASE("with lengths, every epoch goes through all items, the short batch last", "[training]") {
  // One window and less; several windows, with and without a rest; batches of one; one batch.
  for (const auto& [items, batch] : std::vector<std::pair<std::size_t, std::size_t>>{
           {50, 8}, {1000, 4}, {1003, 4}, {401, 8}, {120, 1}, {5, 8}, {8, 8}}) {
    CAPTURE(items, batch);
    Plan plan(config_of(batch), items, random_lengths(items));
    std::vector<std::vector<Items>> epochs;
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      const auto batches = batches_of(plan, epoch);
      epochs.push_back(batches);
      Items all;
      for (std::size_t i = 0; i < batches.size(); ++i) {
        const bool is_short = i + 1 == batches.size() && items % batch;
        CHECK(batches[i].size() == (is_short ? items % batch : batch));
        all.insert(all.end(), batches[i].begin(), batches[i].end());
      }
      std::sort(all.begin(), all.end());
      REQUIRE(all.size() == items);
      for (std::size_t i = 0; i < items; ++i) CHECK(all[i] == i);
    }
    if (items > batch) CHECK(epochs[0] != epochs[1]);
    if (items > batch) CHECK(epochs[1] != epochs[2]);
  }
}

TEST_CASE("with lengths, batches hold little padding", "[training]") {
  const Lengths lengths = random_lengths(5000);
  Plan plain(config_of(16), 5000), bucketed(config_of(16), 5000, lengths);
  const auto excess = [&](Plan& plan) {
    return static_cast<double>(padded(batches_of(plan, 0), lengths)) / static_cast<double>(total(lengths)) -
           1;
  };
  CHECK(excess(plain) > 0.5);
  CHECK(excess(bucketed) < 0.05);
}

TEST_CASE("with lengths, batches come in no order of length, and not the same ones each epoch",
          "[training]") {
  const Lengths lengths = random_lengths(800);
  Plan plan(config_of(16), 800, lengths);  // one window: 50 batches
  const auto first = batches_of(plan, 0), second = batches_of(plan, 1);
  std::size_t rises = 0;
  for (std::size_t i = 0; i + 1 < first.size(); ++i) rises += lengths[first[i][0]] < lengths[first[i + 1][0]];
  CHECK(rises > 12);
  CHECK(rises < 37);
  std::vector<Items> sorted_first, sorted_second;
  for (auto [from, to] : {std::pair(&first, &sorted_first), std::pair(&second, &sorted_second)}) {
    for (Items batch : *from) {
      std::sort(batch.begin(), batch.end());
      to->push_back(batch);
    }
    std::sort(to->begin(), to->end());
  }
  CHECK(sorted_first != sorted_second);
  // Where all lengths differ, one window gives the same batches always; they still come in another order.
  Lengths distinct(800);
  for (std::size_t i = 0; i < distinct.size(); ++i) distinct[i] = i;
  Plan fixed(config_of(16), 800, distinct);
  CHECK(batches_of(fixed, 0) != batches_of(fixed, 1));
}

TEST_CASE("the order is a function of seed, epoch and lengths", "[training]") {
  const Lengths lengths = random_lengths(300);
  Plan one(config_of(8), 300, lengths), same(config_of(8), 300, lengths),
      other(config_of(8, 2), 300, lengths), plain(config_of(8), 300);
  batches_of(one, 0);
  batches_of(one, 1);
  const auto third = batches_of(one, 2);
  CHECK(batches_of(same, 2) == third);  // entered there, without what came before
  CHECK(batches_of(other, 2) != third);
  CHECK(batches_of(plain, 2) != third);
  // Nothing but the lengths' order counts.
  Lengths doubled = lengths;
  for (std::size_t& length : doubled) length *= 2;
  Plan larger(config_of(8), 300, doubled);
  CHECK(batches_of(larger, 2) == third);
}

TEST_CASE("with accumulation, a step takes its batches in turn", "[training]") {
  const Lengths lengths = random_lengths(300);
  TrainConfig three = config_of(8);
  three.accumulate = 3;
  Plan one(config_of(8), 300, lengths), accumulated(three, 300, lengths);
  CHECK(batches_of(accumulated, 1) == batches_of(one, 1));
}

TEST_CASE("lengths are as many as items", "[training]") {
  CHECK_THROWS_AS(Plan(config_of(8), 50, Lengths(49, 1)), ShapeError);
  CHECK_THROWS_WITH(Plan(config_of(8), 50, Lengths(51, 1)), Contains("51 lengths for 50 items"));
}

TEST_CASE("a task's lengths reach its plan, and a run of such batches resumes exactly", "[training]") {
  const TrainConfig config = config_of(8);
  Ragged task({}, 1);
  Lengths lengths;
  for (std::size_t i = 0; i < 50; ++i) lengths.push_back(task.length(Split::train, i));
  Plan asked = plan_of(task, config), given(config, 50, lengths);
  CHECK(batches_of(asked, 1) == batches_of(given, 1));
  LineTask unasked({}, 1);
  Plan plain = plan_of(unasked, config), none(config, 50);
  CHECK(batches_of(plain, 1) == batches_of(none, 1));

  const TemporaryFolder whole_folder, folder;
  const Label label{"line", "", {}};
  {
    FitState state = start_state(config);
    Run run(whole_folder / "run", Run::Open::fresh, label);
    fit(task, config, state, &run);
  }
  {
    Ragged stopped({}, 1);
    stopped.signal_at = 9;  // 7 steps to an epoch
    FitState state = start_state(config);
    Run run(folder / "run", Run::Open::fresh, label);
    REQUIRE(fit(stopped, config, state, &run).signal == SIGINT);
    CHECK(state.position.step == 10);
  }
  Ragged resumed({}, 99);
  FitState state = start_state(config);
  Run run(folder / "run", Run::Open::resume, label);
  load_checkpoint(read_checkpoint(run.last()), resumed, state);
  CHECK(fit(resumed, config, state, &run).signal == 0);
  CHECK(read_file(run.last()) == read_file(Run::last_of(whole_folder / "run")));
}

TEST_CASE("a part of the items is used, the same in every epoch, and larger parts hold smaller ones",
          "[training]") {
  const auto used = [](double size, std::uint64_t seed, std::uint64_t epoch, const Lengths& lengths) {
    TrainConfig config = config_of(7, seed);
    config.train_size = size;
    Plan plan(config, 50, lengths);
    CHECK(plan.items() == 50);
    Items all;
    for (const Items& batch : batches_of(plan, epoch)) all.insert(all.end(), batch.begin(), batch.end());
    std::sort(all.begin(), all.end());
    return all;
  };
  for (const Lengths& lengths : {Lengths{}, random_lengths(50)}) {
    const Items few = used(0.2, 1, 0, lengths), more = used(0.5, 1, 0, lengths);
    CHECK(few.size() == 10);
    CHECK(more.size() == 25);
    CHECK(used(0.2, 1, 3, lengths) == few);
    CHECK(std::includes(more.begin(), more.end(), few.begin(), few.end()));
    CHECK(std::adjacent_find(more.begin(), more.end()) == more.end());
    CHECK(used(0.2, 2, 0, lengths) != few);
    CHECK(used(1e-9, 1, 0, lengths).size() == 1);
  }
  TrainConfig config = config_of(7);
  config.train_size = 1.5;
  CHECK_THROWS_AS(Plan(config, 50), ConfigError);
}
