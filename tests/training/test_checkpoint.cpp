#include <catch2/catch.hpp>

#include "training/checkpoint.hpp"
#include "training/fit.hpp"
#include "training/folder.hpp"
#include "training/line_task.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

// A model with everything that a checkpoint has to tell apart.
struct Parts {
  Param weight{tensor(Shape{2, 3}, {1, 2, 3, 4, 5, 6})};
  Param bias{tensor(Shape{2}, {7, 8}), Param::Decay::no};
  Param scalar{fovea::scalar(9)};
  Buffer buffer{tensor(Shape{2}, {0.5, 0.25})};

  std::vector<NamedParam> params() {
    return {{"a.weight", &weight, true}, {"a.bias", &bias, false}, {"scalar", &scalar, true}};
  }
  std::vector<NamedBuffer> buffers() { return {{"a.buffer", &buffer}}; }
  void clear() {
    for (const NamedParam& named : params()) named.param->set(zeros(named.param->shape()));
    buffer.value = zeros(buffer.value.shape());
  }
};

Checkpoint holding(Entries entries) { return {"x.fovea", {}, {}, std::move(entries)}; }

// Its model is as wide as its state says.
struct Growing : LineTask {
  using LineTask::LineTask;
  std::uint64_t width = 6;
  void grow(std::uint64_t to) {
    width = to;
    model.hidden = Param(zeros(Shape{width, 3}));
    model.bias = Param(zeros(Shape{width}), Param::Decay::no);
    model.out = Param(zeros(Shape{1, width}));
  }
  template <class Archive>
  void state(Archive& archive) {
    archive("width", width);
    if constexpr (Archive::reading) grow(width);
  }
};

}  // namespace

TEST_CASE("parameters and buffers come back by path", "[training]") {
  Parts parts;
  Entries entries;
  add_model(entries, parts.params(), parts.buffers());
  const Tensor weight = parts.weight.value(), scalar = parts.scalar.value(), buffer = parts.buffer.value;
  parts.clear();
  const Checkpoint from = holding(Entries::unpack(entries.pack()));
  load_model(from, parts.params(), parts.buffers());
  CHECK(same_bits(parts.weight.value(), weight));
  CHECK(same_bits(parts.scalar.value(), scalar));
  CHECK(same_bits(parts.buffer.value, buffer));
}

TEST_CASE("values of the other precision are converted", "[training]") {
  Parts parts;
  const auto load = [&](Entry::Values values) {
    Entries entries;
    add_model(entries, parts.params(), {});
    Entries other;
    for (const Entry& entry : entries.all()) {
      other.add(entry.name, entry.shape, entry.name == "param/a.bias" ? values : entry.values);
    }
    load_model(holding(std::move(other)), parts.params(), {});
  };
  load(std::vector<float>{0.1f, -3});
  CHECK(parts.bias.value().at(0) == static_cast<Real>(0.1f));
  load(std::vector<double>{0.1, -3});
  CHECK(parts.bias.value().at(0) == static_cast<Real>(0.1));
}

TEST_CASE("loading reports all that does not fit, and changes nothing", "[training]") {
  Parts parts;
  const Tensor before = parts.weight.value();
  Entries entries;
  entries.add("param/a.weight", {2, 3}, std::vector<float>(6, 0));
  entries.add("param/a.bias", {3}, std::vector<float>(3, 0));
  entries.add("param/old", {1}, std::vector<float>(1, 0));
  entries.add("buffer/older", {1}, std::vector<float>(1, 0));
  entries.add("buffer/a.buffer", {2}, std::vector<std::uint64_t>(2, 0));
  try {
    load_model(holding(std::move(entries)), parts.params(), parts.buffers());
    FAIL("no error");
  } catch (const CheckpointError& error) {
    CHECK_THAT(error.what(), Contains("missing: param/scalar") &&
                                 Contains("unexpected: param/old, buffer/older") &&
                                 Contains("param/a.bias is [3] in the file and [2] here") &&
                                 Contains("buffer/a.buffer holds u64"));
  }
  CHECK(same_bits(parts.weight.value(), before));
}

TEST_CASE("an optimiser's state follows the paths", "[training]") {
  Parts parts;
  const auto method = make_optimizer("adam", 0);
  method->set_steps(7);
  method->state()["a.bias"]["first"] = tensor(Shape{2}, {1, 2});
  method->state()["a.bias"]["second"] = tensor(Shape{2}, {3, 4});
  Entries entries;
  add_optimizer(entries, *method);
  const auto copy = make_optimizer("adam", 0);
  load_optimizer(holding(Entries::unpack(entries.pack())), parts.params(), *copy);
  CHECK(copy->steps() == 7);
  REQUIRE(copy->state().size() == 1);
  CHECK(same_bits(copy->state().at("a.bias").at("second"), method->state().at("a.bias").at("second")));

  Entries other;
  add_optimizer(other, *method);
  other.add("optimizer/gone/first", {1}, std::vector<float>{1});
  CHECK_THROWS_WITH(load_optimizer(holding(other), parts.params(), *copy), Contains("optimizer/gone/first"));
  Entries wrong;
  wrong.add_number("optimizer/steps", 9);
  wrong.add("optimizer/a.bias/first", {5}, std::vector<float>(5, 1));
  CHECK_THROWS_WITH(load_optimizer(holding(wrong), parts.params(), *copy),
                    Contains("[5] in the file and [2] here"));
  CHECK(copy->steps() == 7);
}

TEST_CASE("a checkpoint restores a whole task", "[training]") {
  const TemporaryFolder folder;
  LineTask task({}, 1);
  task.words = {"other"};
  task.slopes = {4, 5, 6};
  task.model.scale.value = filled(Shape{1}, 3);
  FitState state = start_state(LineTask::defaults());
  TrainConfig config = LineTask::defaults();
  config.steps = 3;
  fit(task, config, state);
  save_checkpoint(folder / "x.fovea", task, state, {"line", "", {}});

  LineTask copy({}, 2);
  FitState copied = start_state(config);
  load_checkpoint(read_checkpoint(folder / "x.fovea"), copy, copied);
  CHECK(copy.words == task.words);
  CHECK(copy.slopes == task.slopes);
  CHECK(same_bits(copy.model.scale.value, task.model.scale.value));
  CHECK(same_bits(copy.model.hidden.value(), task.model.hidden.value()));
  CHECK(same_bits(copied.optimizer->state().at("out").at("second"),
                  state.optimizer->state().at("out").at("second")));
  CHECK(copied.position == state.position);
  CHECK(copied.optimizer->steps() == 3);
}

TEST_CASE("a task that cannot be loaded whole is left as it was", "[training]") {
  LineTask source({}, 1);
  source.words = {"other"};
  source.slopes = {4, 5, 6};
  FitState trained = start_state(LineTask::defaults());
  TrainConfig config = LineTask::defaults();
  config.steps = 3;
  fit(source, config, trained);
  const TemporaryFolder folder;
  save_checkpoint(folder / "x.fovea", source, trained, {"line", "", {}});
  const Checkpoint good = read_checkpoint(folder / "x.fovea");

  const auto refuse = [&](const std::string& name, std::optional<Entry> instead, const std::string& words) {
    INFO(name);
    Checkpoint bad = good;
    bad.entries = {};
    for (const Entry& entry : good.entries.all()) {
      if (entry.name != name) bad.entries.add(entry.name, entry.shape, entry.values);
    }
    if (instead) bad.entries.add(instead->name, instead->shape, instead->values);
    LineTask task({}, 2);
    const LineTask before = task;
    FitState state = start_state(config);
    state.optimizer->set_steps(9);
    CHECK_THROWS_WITH(load_checkpoint(bad, task, state), Contains(words));
    CHECK(task.words == before.words);
    CHECK(task.slopes == before.slopes);
    CHECK(same_bits(task.model.hidden.value(), before.model.hidden.value()));
    CHECK(same_bits(task.model.scale.value, before.model.scale.value));
    CHECK(state.optimizer->steps() == 9);
    CHECK(state.position == Position{});
  };
  const std::vector<float> two(2, 0.5f);
  refuse("state/slopes", {}, "state/slopes is missing");
  refuse("", Entry{"state/old", {2}, two}, "state/old");
  refuse("param/out", {}, "missing: param/out");
  refuse("param/out", Entry{"param/out", {2}, two}, "param/out is [2] in the file and [1, 6] here");
  refuse("", Entry{"buffer/old", {2}, two}, "unexpected: buffer/old");
  refuse("optimizer/steps", {}, "optimizer/steps is missing");
  refuse("optimizer/out/first", Entry{"optimizer/out/first", {2}, two}, "optimizer/out/first is [2]");
}

TEST_CASE("a model that its task's state has resized gets its old size back", "[training]") {
  Growing wide({}, 1), task({}, 2);
  wide.grow(9);
  Checkpoint from = holding({});
  StateWriter writer(from.entries);
  wide.state(writer);
  add_model(from.entries, parameters(wide.model), buffers(wide.model));
  const Tensor before = task.model.hidden.value();
  Checkpoint bad = from;
  bad.entries.add("param/old", std::vector<float>{1});
  CHECK_THROWS_WITH(load_task(bad, task), Contains("param/old"));
  CHECK(task.width == 6);
  CHECK(same_bits(task.model.hidden.value(), before));
  load_task(from, task);
  CHECK(task.model.hidden.shape() == Shape{9, 3});
}
