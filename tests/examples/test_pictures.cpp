#include <catch2/catch.hpp>

#include "core/draw.hpp"
#include "examples/cities/task.hpp"
#include "examples/classify/task.hpp"
#include "examples/forecast/small_series.hpp"
#include "examples/sequences/pairs_task.hpp"
#include "training/folder.hpp"

using namespace fovea;

namespace {

template <class T>
std::vector<std::string> titles(const T& task) {
  const NoGrad no_graph;
  std::vector<std::string> found;
  for (const report::Picture& picture : task.pictures({.items = {}, .worst = 0, .typical = 3})) {
    CHECK(picture.group != "worst");
    found.push_back(picture.title);
  }
  return found;
}

// Whatever the task's model is.
template <class T>
void shows_the_same(T task, std::size_t least) {
  INFO(T::name);
  const std::vector<std::string> before = titles(task);
  CHECK(before.size() >= least);
  Rng rng(7);
  for (int i = 0; i < 3; ++i) {
    for (const NamedParam& one : parameters(task.model)) {
      const Tensor other = normal(rng, one.param->shape(), 0, Real(0.5));
      one.param->update([&](Tensor& value) { std::copy_n(other.data(), value.size(), value.data()); });
    }
    CHECK(titles(task) == before);
  }
}

}  // namespace

TEST_CASE("pictures: where the worst are not wanted the same items are shown for every model", "[examples]") {
  using Copy = sequences::ToyTaskOf<sequences::Toy::copy>;
  Copy::Config config;
  config.width = 8;
  config.symbols = 4;
  config.sequences = 600;
  shows_the_same(Copy(config, 1), 3);
  const TemporaryFolder folder;
  std::string texts;
  for (int i = 0; i < 200; ++i) texts += join(i % 2 ? "good\tfine day " : "bad\trainy night ", i, "\n");
  write(folder / "texts.tsv", texts);
  classify::Config labels;
  labels.data = (folder / "texts.tsv").string();
  shows_the_same(classify::ClassifyTask(labels, 1), 3);
  shows_the_same(cities::CitiesTask::tiny({}), 1);
  shows_the_same(
      forecast::ForecastTask(forecast::small_config("lstm-attention"), forecast::small_series(), 1), 3);
}
