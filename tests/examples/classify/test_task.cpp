#include <cmath>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "autograd/gradcheck.hpp"
#include "core/parallel.hpp"
#include "examples/classify/task.hpp"
#include "examples/unicode.hpp"
#include "training/fit.hpp"
#include "training/folder.hpp"

using namespace fovea;
using namespace fovea::classify;
using Catch::Contains;
using Catch::StartsWith;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> models{"embedding", "lstm", "gru"};
const std::vector<std::string> scores{"additive", "dot", "scaled_dot", "general"};

Config config_of(const std::string& model, const std::string& attention) {
  Config config;
  config.model = model;
  config.attention.score = attention;
  config.grams = 2;
  return config;
}

ClassifyTask::Batch batch_of(const ClassifyTask& task, std::vector<std::size_t> items) {
  Rng rng(5);
  return task.batch(Split::train, items, rng);
}

double loss_of(ClassifyTask& task, const ClassifyTask::Batch& batch, bool training = false) {
  Pass pass{.training = training, .rng = Rng(3)};
  return static_cast<double>(task.loss(batch, pass).value.item());
}

// Two letters decide; the rest is noise. Three labels, the first the most frequent.
std::string lines(std::size_t count) {
  std::string text;
  Rng rng(9);
  for (std::size_t i = 0; i < count; ++i) {
    std::string word;
    for (std::size_t k = 3 + rng.below(6); k > 0; --k) word += static_cast<char>('a' + rng.below(8));
    const std::uint64_t label = rng.below(4);
    if (label > 1) word.insert(rng.below(word.size() + 1), label == 2 ? "x" : "y");
    text += join(label > 1 ? label == 2 ? "has x" : "has y" : "none", "\t", word, "\n");
  }
  return text;
}

// A small model of a file in a folder of its own.
struct Trained {
  TemporaryFolder folder;
  Config config;
  Trained(const std::string& data, const std::string& model = "lstm") {
    write(folder / "data.tsv", data);
    config.data = folder / "data.tsv";
    config.model = model;
    config.width = 16;
    config.dropout = config.token_dropout = 0;
  }
  ClassifyTask task(std::uint64_t steps = 0) const {
    ClassifyTask made(config, 1);
    if (steps == 0) return made;
    TrainConfig train = ClassifyTask::defaults();
    train.steps = steps;
    train.eval_every = steps;
    train.lr = 0.02;
    FitState state = start_state(train);
    fit(made, train, state);
    return made;
  }
};

std::vector<Tensor> trained(std::size_t threads) {
  set_threads(threads);
  const Trained data(lines(300));
  ClassifyTask task = data.task(3);
  set_threads(0);
  std::vector<Tensor> values;
  for (const NamedParam& named : parameters(task.model)) values.push_back(named.param->value());
  return values;
}

}  // namespace

TEST_CASE("classify: gradients of every model and score, with entropy", "[examples]") {
  if constexpr (sizeof(Real) == 8) {
    for (const std::string& model : models) {
      for (const std::string& score : scores) {
        CAPTURE(model, score);
        Config config = config_of(model, score);
        config.evidence = score == "dot" ? "none" : "naive-bayes";
        ClassifyTask task = ClassifyTask::tiny(config);
        task.entropy_weight = 0.3;
        const auto batch = batch_of(task, {0, 1, 2, 3});
        const GradcheckReport report = gradcheck(parameters(task.model),
                                                 [&] {
                                                   Pass pass{.training = true, .rng = Rng(3)};
                                                   return task.loss(batch, pass).value;
                                                 },
                                                 {});
        INFO(report.text());
        CHECK(report.passed);
      }
    }
  }
}

TEST_CASE("classify: a padded batch gives what each text gives alone", "[examples]") {
  for (const std::string& model : models) {
    for (const std::string& score : scores) {
      CAPTURE(model, score);
      Config config = config_of(model, score);
      config.token_dropout = 0;
      ClassifyTask task = ClassifyTask::tiny(config);
      task.entropy_weight = 0.3;
      const auto both = batch_of(task, {0, 2});
      CHECK(loss_of(task, both) ==
            Approx((loss_of(task, batch_of(task, {0})) + loss_of(task, batch_of(task, {2}))) / 2)
                .epsilon(1e-5));
      const std::vector<classify::Row> rows{{4, 5, 6, 4}, {5}, {6, 3}};
      config.grams = 1;
      config.evidence = "none";
      const ClassifyTask of_tokens = ClassifyTask::tiny(config);
      const Grams none;
      const std::vector<Answer> together = answers(of_tokens.model, none, rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Answer alone = answers(of_tokens.model, none, std::span(&rows[i], 1))[0];
        REQUIRE(together[i].weights.size() == rows[i].size());
        CHECK(together[i].entropy == Approx(alone.entropy).margin(1e-5));
        double sum = 0;
        for (std::size_t k = 0; k < rows[i].size(); ++k) {
          sum += alone.weights[k];
          CHECK(together[i].weights[k] == Approx(alone.weights[k]).margin(1e-5));
        }
        CHECK(sum == Approx(1));
        for (std::size_t c = 0; c < 3; ++c)
          CHECK(together[i].log_probabilities[c] == Approx(alone.log_probabilities[c]).margin(1e-5));
      }
    }
  }
}

TEST_CASE("classify: loss, entropy and what is left out while training", "[examples]") {
  Config config = config_of("embedding", "additive");
  config.token_dropout = config.dropout = config.label_smoothing = 0;
  config.evidence = "none";  // or the texts would be learned from without what they are asked with
  ClassifyTask task = ClassifyTask::tiny(config);
  const auto batch = batch_of(task, {0, 1, 2});
  CHECK(batch.labels.values == std::vector<std::int64_t>{0, 1, 2});
  const double plain = loss_of(task, batch);
  double by_hand = 0;  // the mean of -log p of each label, as it is predicted
  const std::vector<std::string> asked{"abab", "bca", "c"}, labels{"x", "y", "z"};
  config.n_best = 3;
  const ClassifyTask asking = ClassifyTask::tiny(config);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Json said = Json::parse(asking.predict(std::span(&asked[i], 1), true)[0]);
    for (const Json& answer : said["answers"])
      if (answer["label"] == labels[i]) by_hand -= std::log(answer["probability"].get<double>()) / 3;
  }
  CHECK(plain == Approx(by_hand).epsilon(1e-5));
  task.entropy_weight = 0.5;
  Pass pass;
  const Classified seen = task.model(batch.texts, pass, {.entropy = true});
  CHECK(loss_of(task, batch) == Approx(plain + 0.5 * static_cast<double>(mean(seen.entropy).item())));
  CHECK(task.loss(batch, pass).count == 3);
  const auto unknown = [](const ClassifyTask::Batch& of) {
    const auto& ids = of.texts.tokens.ids.values;
    return std::count(ids.begin(), ids.end(), sequences::Vocabulary::unknown);
  };
  CHECK(unknown(batch) == 0);
  config.token_dropout = 0.9;
  CHECK(unknown(batch_of(ClassifyTask::tiny(config), {0, 1, 2, 3})) > 5);
}

TEST_CASE("classify: a text stands in one part alone, by its hash", "[examples]") {
  Trained data("");
  std::string text;
  for (int i = 0; i < 300; ++i) text += join("a\tWord ", i, "\nb\tword  ", i, "\n");
  write(data.folder / "data.tsv", text);
  data.config.tokens = "words";
  const ClassifyTask task = data.task();
  std::size_t validation = 0, test = 0;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t hash = unicode::fnv1a(join("word ", i)) % 10;
    validation += hash == 0;
    test += hash == 1;
  }
  CHECK(task.size(Split::validation) == 2 * validation);  // both spellings are one text
  CHECK(task.size(Split::test) == 2 * test);
  CHECK(task.size(Split::train) == 600 - 2 * (validation + test));
  CHECK(validation > 10);
}

TEST_CASE("classify: parts of one's own, labels that are not learned", "[examples]") {
  Trained data("a\tone\nb\ttwo\na\tthree\nb\tthree\n");
  write(data.folder / "dev.tsv", "a\tfour\nc\tfive\nb\tsix\n");
  write(data.folder / "test.tsv", "d\tthree\nb\tsix\n");
  data.config.dev = data.folder / "dev.tsv";
  data.config.test = data.folder / "test.tsv";
  ClassifyTask task = data.task();
  CHECK(task.size(Split::train) == 2);
  CHECK(task.size(Split::validation) == 2);
  CHECK(task.size(Split::test) == 2);
  const std::vector<std::string> notes = task.notes();
  REQUIRE(notes.size() == 3);
  CHECK_THAT(notes[0], StartsWith("3 lines are left out"));
  CHECK_THAT(notes[1], StartsWith("1 texts of the validation part have labels that are not learned"));
  CHECK_THAT(notes[2], StartsWith("1 texts of the test part"));
  CHECK(task.data_checksums().size() == 3);
  const NoGrad no_graph;
  CHECK(task.evaluate(Split::validation).at("accuracy") <= 50);
  CHECK(std::isfinite(task.evaluate(Split::validation).at("nll")));
  const std::vector<std::size_t> all{0, 1};
  Rng rng;
  CHECK(task.batch(Split::validation, all, rng).labels.values[1] == -1);
}

TEST_CASE("classify: what cannot be learned from is refused", "[examples]") {
  CHECK_THROWS_WITH(Trained("a\tone\na\ttwo\n").task(), Contains("\"a\"") && Contains("there must be two"));
  CHECK_THROWS_AS(Trained("a\tone\na\ttwo\n").task(), DataError);
  Trained kept("a\tone\nb\ttwo\n");
  kept.config.dev = kept.config.data;
  CHECK_THROWS_WITH(kept.task(), Contains("no text is left to learn from"));
  CHECK_THROWS_AS(kept.task(), DataError);
}

TEST_CASE("classify: rare tokens are unknown, rare labels are not", "[examples]") {
  Trained data("a\tu v u v\nb\tu v w\nonce\tu v\n");
  data.config.tokens = "spaced";
  data.config.min_count = 2;
  data.config.explain = true;
  const ClassifyTask task = data.task();
  const Json json = Json::parse(task.predict(std::vector<std::string>{"U w q"}, true)[0]);
  CHECK(json["unknown"] == Json::array({"w", "q"}));
  CHECK(json["answers"].size() == 3);
  data.config.letter_case = "keep";
  data.config.max_vocab = 1;
  data.config.min_count = 1;
  CHECK(Json::parse(data.task().predict(std::vector<std::string>{"u v U"}, true)[0])["unknown"] ==
        Json::array({"v", "U"}));
}

TEST_CASE("classify: what is printed for a line", "[examples]") {
  Config config = config_of("lstm", "additive");
  config.explain = true;
  const std::vector<std::string> asked{"Bcaé"};
  const std::string text = ClassifyTask::tiny(config).predict(asked, false)[0];
  CHECK_THAT(text, StartsWith("Bcaé\t") && Contains("\n  looked at  ") && Contains("\n  likeliest  "));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK_THAT(text, Contains("b[1] 0.") && Contains("é[4] 0."));
  const Json json = Json::parse(ClassifyTask::tiny(config).predict(asked, true)[0]);
  CHECK(json["text"] == "Bcaé");
  CHECK(json["tokens"] == Json::array({"b", "c", "a", "é"}));
  CHECK(json["unknown"] == Json::array({"é"}));
  REQUIRE(json["weights"].size() == 4);
  double sum = 0;
  for (const double weight : json["weights"]) sum += weight;
  CHECK(sum == Approx(1));
  REQUIRE(json["answers"].size() == 3);
  CHECK(json["answers"][0]["label"] == json["label"]);
  CHECK(json["answers"][0]["probability"] >= json["answers"][1]["probability"]);
  config.explain = false;
  const std::string brief = ClassifyTask::tiny(config).predict(asked, false)[0];
  CHECK(std::count(brief.begin(), brief.end(), '\n') == 0);
  CHECK(std::count(brief.begin(), brief.end(), '\t') == 2);
  CHECK_FALSE(Json::parse(ClassifyTask::tiny(config).predict(asked, true)[0]).contains("weights"));
  config.n_best = 2;
  const std::string two = ClassifyTask::tiny(config).predict(asked, false)[0];
  CHECK(std::count(two.begin(), two.end(), '\n') == 1);
}

TEST_CASE("classify: lines that cannot be asked", "[examples]") {
  const ClassifyTask task = ClassifyTask::tiny(config_of("embedding", "dot"));
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "empty"}, {" \u3000", "empty"}, {"a\tb", "cut -f2"}, {"ab\xff", "byte 3"}};
  for (const auto& [line, message] : cases) {
    CAPTURE(message);
    CHECK_THROWS_WITH(task.predict(std::vector<std::string>{line}, false), Contains(message));
    CHECK_THROWS_AS(task.predict(std::vector<std::string>{line}, false), DataError);
  }
}

TEST_CASE("classify: a loaded model answers as the saved one, without its data", "[examples]") {
  for (const std::string& model : models) {
    CAPTURE(model);
    const Trained data(lines(60), model);
    ClassifyTask task = data.task();
    const TrainConfig train = ClassifyTask::defaults();
    FitState state = start_state(train);
    save_checkpoint(data.folder / "m.fovea", task, state, {ClassifyTask::name, "", {}});
    std::filesystem::remove(data.folder / "data.tsv");
    ClassifyTask loaded(data.config, WithoutData{});
    load_task(read_checkpoint(data.folder / "m.fovea"), loaded);
    const std::vector<std::string> asked{"abx", "hyg", "z"};
    CHECK(loaded.predict(asked, true) == task.predict(asked, true));
    CHECK(loaded.size(Split::test) == 0);
  }
}

TEST_CASE("classify: the same bits for any number of threads", "[examples]") {
  const auto one = trained(1), two = trained(2);
  REQUIRE(one.size() == two.size());
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(same_bits(one[i], two[i]));
}

TEST_CASE("classify: what decides is found, looked at and reported", "[examples][slow]") {
  if constexpr (sizeof(Real) == 4) {
    Trained data(lines(3000));
    data.config.grams = 1;
    data.config.explain = true;
    ClassifyTask task = data.task(400);
    const NoGrad no_graph;
    const Metrics metrics = task.evaluate_fully(Split::test);
    CHECK(metrics.selected == "accuracy");
    CHECK(metrics.at("accuracy") > 98);
    CHECK(metrics.at("macro_f1") > 98);
    CHECK(metrics.at("baseline.majority.accuracy") == Approx(50).margin(8));
    CHECK(metrics.at("baseline.naive_bayes.accuracy") > 80);
    CHECK(metrics.at("entropy") > 0);
    CHECK(metrics.at("unknown") == 0);
    const std::string report = task.report(metrics);
    CHECK_THAT(report, Contains("always none") && Contains("naive Bayes, 1- to ") &&
                           Contains("lstm, additive (this model)") && Contains("taken for") &&
                           Contains("has x  "));
    CHECK(Json::parse(task.predict(std::vector<std::string>{"abcxde"}, true)[0])["label"] == "has x");
  }
}
