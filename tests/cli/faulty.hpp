#pragma once

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "training/checkpoint_file.hpp"
#include "training/file.hpp"
#include "training/run.hpp"

// A short run, what can happen to it (tests/faults/faults.cpp), and what must hold after that.

namespace fovea {

inline std::string last_line(const std::string& text) {
  return text.size() < 2 ? text : text.substr(text.rfind('\n', text.size() - 2) + 1);
}

/// A system call that wrote in the run's folder.
struct WriteCall {
  long number = 0;
  std::string name, path;

  /// Of the file that it was about; what is written under a temporary name is about the real one.
  std::string file() const {
    const std::filesystem::path place(path);
    return name_behind(place).value_or(place).filename().string();
  }
};

/// Whether two checkpoints are equal in every bit of every entry.
inline bool same_checkpoints(const std::filesystem::path& one, const std::filesystem::path& other) {
  const Checkpoint a = read_checkpoint(one), b = read_checkpoint(other);
  if (a.entries.all().size() != b.entries.all().size()) return false;
  return std::all_of(a.entries.all().begin(), a.entries.all().end(), [&](const Entry& entry) {
    const Entry* found = b.entries.find(entry.name);
    return found && found->shape == entry.shape && kind_name(*found) == kind_name(entry) &&
           checksum(*found) == checksum(entry);
  });
}

/// The rows of a run's tables without the time that they took, which is never the same.
inline std::string rows(const std::filesystem::path& run) {
  std::string text;
  std::istringstream lines(content(run / "metrics.jsonl")), table(content(run / "metrics.csv"));
  for (std::string line; std::getline(lines, line);) {
    auto row = nlohmann::json::parse(line);
    row.erase("seconds");
    text += row.dump() + "\n";
  }
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; std::getline(fields, field, ','); ++i) text += i == 4 ? "" : field + ",";
    text += "\n";
  }
  return text;
}

class FaultyRun {
 public:
  FaultyRun() {
    REQUIRE(shell.call(with({"--out", "whole", "--steps", "6"})).code == 0);
    REQUIRE(shell.call(with({"--out", "before", "--steps", "2"})).code == 0);
  }

  const Shell& program() const { return shell; }
  std::filesystem::path run() const { return shell.folder / "run"; }

  /// Makes `run` what it is when training begins: nothing, or one that was stopped after two steps.
  void lay_out(bool begun) const {
    std::filesystem::remove_all(run());
    if (begun)
      std::filesystem::copy(shell.folder / "before", run(), std::filesystem::copy_options::recursive);
  }

  /// Trains to the end; `action` happens at the call of this number.
  Result train(bool begun, const std::string& action = "", long call = 0) {
    const std::filesystem::path log = shell.folder / "calls";
    std::filesystem::remove(log);
    shell.environment = {{"LD_PRELOAD", FOVEA_TEST_FAULTS},
                         {"FAULT_FOLDER", run().string()},
                         {"FAULT_LOG", log.string()},
                         {"FAULT_CALL", std::to_string(call)},
                         {"FAULT_ACTION", action}};
    Result result = shell.call(begun ? on : with({"--out", "run", "--steps", "6"}));
    shell.environment.clear();
    return result;
  }

  /// The calls of the last training.
  std::vector<WriteCall> calls() const {
    std::vector<WriteCall> calls;
    std::ifstream log(shell.folder / "calls");
    for (WriteCall call; log >> call.number >> call.name && std::getline(log >> std::ws, call.path);)
      calls.push_back(call);
    return calls;
  }

  /// What was there is not lost, and the run goes on from it to the same bits.
  void check_recovers(bool begun) {
    const std::filesystem::path last = Run::last_of(run()), best = Run::best_of(run());
    if (begun || std::filesystem::exists(last)) {
      REQUIRE_NOTHROW(read_checkpoint(last));
      if (begun) CHECK(read_checkpoint(last).position.step >= 2);
    }
    if (begun || std::filesystem::exists(best)) REQUIRE_NOTHROW(read_checkpoint(best));
    const bool saved = std::filesystem::exists(last) || std::filesystem::exists(best);
    const Result resumed = shell.call(saved ? on : with({"--out", "run", "--steps", "6", "--overwrite"}));
    INFO(resumed.err);
    REQUIRE(resumed.code == 0);
    check_whole();
  }

  /// The run has come to its end, and no trace is left of what happened.
  void check_whole() const {
    const std::filesystem::path whole = shell.folder / "whole";
    CHECK(same_checkpoints(Run::last_of(run()), Run::last_of(whole)));
    CHECK(same_checkpoints(Run::best_of(run()), Run::best_of(whole)));
    CHECK(rows(run()) == rows(whole));
    CHECK(content(run() / "config.toml") == content(whole / "config.toml"));
    for (const char* record : {"run.json", "result.json"})
      CHECK(nlohmann::json::accept(content(run() / record)));
    CHECK(!has_temporary(run()));
  }

 private:
  static std::vector<std::string> with(const std::vector<std::string>& more) {
    // One thread: the runs are so small that a second one does nothing but wait.
    std::vector<std::string> words{"train",        "line", "--items",      "16", "--batch-size", "8",
                                   "--eval-every", "2",    "--save-every", "1",  "--ema",        "0.5",
                                   "--threads",    "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Shell shell;
  const std::vector<std::string> on{"train", "line", "--resume", "--out", "run", "--steps", "6"};
};

}  // namespace fovea
