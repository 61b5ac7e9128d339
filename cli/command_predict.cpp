#include <chrono>
#include <fstream>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/lookup.hpp"
#include "cli/print.hpp"
#include "core/check.hpp"

namespace fovea {
namespace {

struct Arguments {
  std::string checkpoint, file;
  UseRequest use;
  bool json = false, speed = false;
  std::size_t batch = 0;
};

constexpr std::size_t lines_of_a_file = 256;

// Up to `most` lines, without their ends.
std::vector<std::string> read_lines(std::istream& from, std::size_t most) {
  std::vector<std::string> lines;
  for (std::string line; lines.size() < most && std::getline(from, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Answers lines, as many at a time as were given.
class Answering {
 public:
  Answering(Predictor predict, std::string file, bool json)
      : predict_(std::move(predict)), file_(std::move(file)), json_(json) {}

  void operator()(std::span<const std::string> lines) {
    try {
      const auto begin = std::chrono::steady_clock::now();
      const std::vector<std::string> texts = predict_(lines, json_ ? As::json : As::text);
      seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      for (const std::string& text : texts) print(text);
      number_ += lines.size();
      ++calls_;
    } catch (const DataError& error) {
      if (lines.size() == 1) throw DataError(join(file_, ":", number_ + 1, ": ", error.what()));
      // Answer those before the one that cannot be read.
      for (const std::string& line : lines) (*this)(std::span(&line, 1));
    }
  }

  void tell_speed() const {
    if (calls_ == 0) return;
    fmt::print(stderr, "{} lines in {:.3f} s: {:.0f} per second, {:.2f} ms for {}\n", number_, seconds_,
               static_cast<double>(number_) / seconds_, 1000 * seconds_ / static_cast<double>(calls_),
               number_ == calls_ ? "each" : fmt::format("{} at a time", (number_ + calls_ - 1) / calls_));
  }

 private:
  Predictor predict_;
  std::string file_;
  bool json_;
  std::size_t number_ = 0, calls_ = 0;
  double seconds_ = 0;
};

int predict(const Arguments& given) {
  const Checkpoint from = read_checkpoint(given.checkpoint, Reading::to_predict);
  const bool standard = given.file.empty() || given.file == "-";
  const TaskEntry& task = task_named(tasks(), from.label.task);
  if (task.answers_data) {
    UseRequest use = given.use;
    check<ConfigError>(given.file.empty() || use.data.empty(), "predict",
                       "the data are given twice: ", given.file, " and --data");
    if (!given.file.empty()) use.data = standard ? "/dev/stdin" : given.file;
    print(task.predictor(from, use).from_data(given.json ? As::json : As::text));
    return 0;
  }
  Answering answer(task.predictor(from, given.use), standard ? "standard input" : given.file, given.json);
  std::ifstream file;
  if (!standard) file.open(given.file);
  check<DataError>(standard || file.is_open(), "predict", "cannot read ", given.file);
  std::istream& lines = standard ? std::cin : file;
  // Who types, or talks through a pipe, waits for the answer to each line.
  const std::size_t at_once = given.batch ? given.batch : standard ? 1 : lines_of_a_file;
  auto some = read_lines(lines, at_once);
  constexpr std::string_view mark = "\xEF\xBB\xBF";  // some editors put it before a file's text
  if (!some.empty() && some.front().starts_with(mark)) some.front().erase(0, mark.size());
  for (; !some.empty(); some = read_lines(lines, at_once)) answer(some);
  check<DataError>(!lines.bad(), "predict", "cannot read ", given.file);
  if (given.speed || !standard) answer.tell_speed();
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("predict", "answer line by line, or forecast from a table");
  command->add_option("checkpoint", given->checkpoint, "a .fovea file")->required();
  command->add_option(
      "file", given->file,
      "lines to answer, or the table to continue; - is standard input. Without it lines come from there, and "
      "the table is that of training");
  command->add_option("--data", given->use.data, "other data than it was trained with");
  command->add_flag("--json", given->json, "one JSON object for each line");
  command
      ->add_option("--batch", given->batch,
                   "lines answered together: faster, but the first waits for the last; 0: 1 of standard "
                   "input, 256 of a file")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--speed", given->speed,
                    "tell lines per second and latency on standard error; of a file it is told anyway");
  add_later_flags(*command, tasks(), given->use.flags);
  command->callback([given, &action] { action = [given] { return predict(*given); }; });
}

}  // namespace fovea
