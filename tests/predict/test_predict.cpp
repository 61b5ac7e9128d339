#include <future>
#include <latch>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/all.hpp"
#include "predict/predict.hpp"
#include "training/fit.hpp"
#include "training/folder.hpp"
#include "training/line_task.hpp"
#include "training/predictor_of.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

/// A checkpoint of a task with start values, as a run would write it, and what that task itself answers.
template <class T>
struct Saved {
  std::filesystem::path file;
  std::unique_ptr<T> task;
  std::string predict(const std::string& line) const {
    const NoGrad no_graph;
    const std::vector<std::string> lines{line};
    if constexpr (requires { task->prepare(); }) task->prepare();
    if constexpr (requires { task->predict(lines, true); })
      return task->predict(lines, true)[0];
    else
      return task->predict(line, true);
  }
};

template <class T, class Change>
Saved<T> saved(const TemporaryFolder& folder, const Change& change) {
  SettingsOf<T> settings;
  change(settings.config);
  settings.resolve();
  Saved<T> result{folder / (std::string(T::name) + ".fovea"), std::make_unique<T>(settings.config, 7)};
  FitState state = start_state(settings.train);
  save_checkpoint(result.file, *result.task, state, {T::name, settings.options.toml(), {}});
  return result;
}

Saved<sequences::PairsTask> saved_pairs(const TemporaryFolder& folder, const std::string& model = "lstm") {
  write(folder / "pairs.tsv", "ab\txy\nba\tyx\nabba\txyyx\nb\ty\n");
  return saved<sequences::PairsTask>(folder, [&](auto& config) {
    config.data = folder / "pairs.tsv";
    config.model = model;
    config.attention = {};
    config.width = 16;
  });
}

Saved<cities::CitiesTask> saved_cities(const TemporaryFolder& folder) {
  write(folder / "cities.tsv", "name\tcountry\nWien\tAT\nGraz\tAT\nBern\tCH\nKöln\tDE\n");
  return saved<cities::CitiesTask>(folder, [&](auto& config) { config.data = folder / "cities.tsv"; });
}

Saved<classify::ClassifyTask> saved_classify(const TemporaryFolder& folder) {
  std::string lines;
  for (int i = 0; i < 40; ++i)
    lines += join(i % 2 ? "odd" : "even", "\t", "text ", i, i % 2 ? " one" : " two", "\n");
  write(folder / "texts.tsv", lines);
  return saved<classify::ClassifyTask>(folder, [&](auto& config) {
    config.data = folder / "texts.tsv";
    config.width = 8;
  });
}

/// What several threads are answered at once, each line many times and in both ways, is what one is answered
/// before.
void check_threads(const Predictor& predict, const std::vector<std::string>& lines) {
  std::vector<std::string> alone;
  for (const std::string& line : lines) alone.push_back(predict(line) + predict(line, As::json));
  constexpr std::ptrdiff_t count = 4;
  constexpr std::size_t rounds = 5;
  std::latch start(count);
  std::vector<std::future<std::size_t>> threads;
  for (std::ptrdiff_t t = 0; t < count; ++t) {
    threads.push_back(std::async(std::launch::async, [&, t] {
      const Predictor own = predict;  // copies share the model
      start.arrive_and_wait();
      std::size_t right = 0;
      for (std::size_t i = 0; i < rounds * lines.size(); ++i) {
        const std::size_t k = (i + static_cast<std::size_t>(t)) % lines.size();
        right += own(lines[k]) + own(lines[k], As::json) == alone[k];
      }
      return right;
    }));
  }
  for (auto& thread : threads) CHECK(thread.get() == rounds * lines.size());
}

}  // namespace

TEST_CASE("predict: a loaded model answers as the task that was saved, and several threads at once",
          "[predict]") {
  const TemporaryFolder folder;
  SECTION("pairs") {
    for (const std::string model : {"lstm", "transformer"}) {
      const auto task = saved_pairs(folder, model);
      const Predictor predict = load_predictor(task.file);
      CHECK(predict.task() == "seq2seq");
      CHECK(predict("abab", As::json) == task.predict("abab"));
      check_threads(predict, {"ab", "b", "aaaabbb"});
    }
  }
  SECTION("cities") {
    const auto task = saved_cities(folder);
    const Predictor predict = load_predictor(task.file);
    CHECK(predict("Wien", As::json) == task.predict("Wien"));
    check_threads(predict, {"Wien", "Köln\t\t\tDE", "Berm"});
  }
  SECTION("classify") {
    const auto task = saved_classify(folder);
    const Predictor predict = load_predictor(task.file, {{"explain", "true"}});
    CHECK(load_predictor(task.file)("text 3 one", As::json) == task.predict("text 3 one"));
    check_threads(predict, {"text 3 one", "two", "other"});
  }
  SECTION("forecast") {
    const auto task = saved<forecast::ForecastTask>(folder, [](auto& config) {
      config.bundled = "co2";
      config.width = 8;
    });
    const Predictor predict = load_predictor(task.file, {{"explain", "true"}});
    REQUIRE(predict.answers_data());
    CHECK(load_predictor(task.file).from_data(As::json) == task.task->predict_data(true));
    const std::string alone = predict.from_data();
    std::vector<std::future<std::string>> threads;
    for (int t = 0; t < 4; ++t)
      threads.push_back(std::async(std::launch::async, [&] { return predict.from_data(); }));
    for (auto& thread : threads) CHECK(thread.get() == alone);
    CHECK_THROWS_WITH(predict("1.5"), Contains("forecast") && Contains("from_data()"));
    const std::string other = folder / "none.csv";
    CHECK_THROWS_AS(load_predictor(task.file, {{"data", other}}).from_data(), DataError);
  }
}

TEST_CASE("predict: many lines at once, and settings", "[predict]") {
  const TemporaryFolder folder;
  const auto task = saved_pairs(folder);
  const Predictor predict = load_predictor(task.file, {{"beam", "3"}, {"n-best", "2"}});
  const std::vector<std::string> lines{"ab", "ba"};
  const std::vector<std::string> together = predict(lines);
  REQUIRE(together.size() == 2);
  CHECK(together[1] == predict("ba"));
  CHECK(together[1] != load_predictor(task.file)("ba"));
  CHECK_THROWS_AS(predict(""), DataError);
  CHECK_THROWS_WITH(predict.from_data(), Contains("line by line"));
  CHECK_THROWS_WITH(load_predictor(task.file, {{"width", "3"}}), Contains("--width") && Contains("--beam"));
}

TEST_CASE("predict: a file that cannot be answered with is an error that says why", "[predict]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(load_predictor(folder / "none.fovea"), CheckpointError);
  CHECK_THROWS_WITH(load_predictor(folder.path), Contains("is a folder"));
  const auto task = saved_pairs(folder);
  const std::string whole = content(task.file);
  write(folder / "half.fovea", whole.substr(0, whole.size() / 2));
  CHECK_THROWS_WITH(load_predictor(folder / "half.fovea"), Contains("half.fovea: it is cut off"));
  CHECK_THROWS_WITH(load_predictor_of<sequences::G2pTask>(task.file),
                    Contains("of the task seq2seq, not g2p"));
}

TEST_CASE("predict: a task of one's own", "[predict]") {
  const TemporaryFolder folder;
  const auto task = saved<LineTask>(folder, [](auto&) {});
  CHECK_THROWS_WITH(load_predictor(task.file), Contains("line") && Contains("load_predictor_of<Task>"));
  const Predictor predict = load_predictor_of<LineTask>(task.file);
  CHECK(predict("1.5", As::json) == task.predict("1.5"));
  check_threads(predict, {"1.5", "-2", "0"});
}

TEST_CASE("predict: what the optimiser needs is not kept, but verified", "[predict]") {
  const TemporaryFolder folder;
  LineTask task({}, 1);
  TrainConfig config = LineTask::defaults();
  config.steps = 2;
  config.ema = 0.5;
  FitState state = start_state(config);
  fit(task, config, state);
  save_checkpoint(folder / "x.fovea", task, state, {"line", "", {}});
  const Checkpoint all = read_checkpoint(folder / "x.fovea");
  const Checkpoint some = read_checkpoint(folder / "x.fovea", Reading::to_predict);
  REQUIRE(all.entries.find("optimizer/out/first"));
  REQUIRE(all.entries.find("weights/out"));
  CHECK_FALSE(some.entries.find("optimizer/out/first"));
  for (const Entry& entry : all.entries.all()) {
    const Entry* same = some.entries.find(entry.name);
    CHECK((same != nullptr) == !(entry.name.starts_with("optimizer/") || entry.name.starts_with("weights/")));
    if (same) CHECK((same->shape == entry.shape && same->values == entry.values));
  }
  // The last bytes are of a moment.
  std::string bytes = content(folder / "x.fovea");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write(folder / "x.fovea", bytes);
  CHECK_THROWS_WITH(read_checkpoint(folder / "x.fovea", Reading::to_predict), Contains("checksum"));
}

TEST_CASE("predict: a checkpoint comes through a pipe, too", "[predict]") {
  const TemporaryFolder folder;
  const auto task = saved_pairs(folder);
  const std::string bytes = content(task.file);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const auto writing = std::async(std::launch::async, [&] { write(folder / "pipe", bytes); });
  CHECK(load_predictor(folder / "pipe")("ab", As::json) == task.predict("ab"));
}
