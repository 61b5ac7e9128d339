#include <cerrno>
#include <iostream>

#include "cli/faulty.hpp"

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;

// Cases lightning#688, metaseq#53. What must hold when any one call fails in which a run writes.

namespace {

// The first call of each kind on each file.
std::vector<WriteCall> first_of_each(const std::vector<WriteCall>& calls) {
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<WriteCall> firsts;
  for (const WriteCall& call : calls)
    if (seen.emplace(call.name, call.path).second) firsts.push_back(call);
  return firsts;
}

void check_error(const Result& result, const WriteCall& call, int reason) {
  CHECK(result.code == 1);
  CHECK_THAT(last_line(result.err),
             StartsWith("fovea: ") && Contains(call.file()) && Contains(std::strerror(reason)));
}

// What a signal can end in: the run's end, a stop that is asked for, or death before or after training.
bool stopped_by_signal(int code) { return code == 0 || code == 130 || code == -SIGINT; }

void check_result(const Result& result, const WriteCall& call, const std::string& action) {
  if (action == "kill" || action == "torn") {
    // Half of something can be written only by a call that writes.
    CHECK(result.code == (action == "kill" || call.name == "write" ? -SIGKILL : 0));
  } else if (action == "short") {
    CHECK(result.code == 0);
  } else if (action.starts_with("signal")) {
    CHECK(stopped_by_signal(result.code));
  } else if (result.code != 0) {
    check_error(result, call, std::atoi(action.c_str()));
  }
}

// Lets `actions` happen at each of `calls` in turn.
void try_calls(FaultyRun& runs, bool begun, const std::vector<WriteCall>& calls,
               const std::vector<std::string>& actions) {
  for (const std::string& action : actions) {
    for (const WriteCall& call : calls) {
      runs.lay_out(begun);
      const Result result = runs.train(begun, action, call.number);
      INFO(action << " at call " << call.number << ", " << call.name << " of " << call.path << "\n"
                  << result.err);
      check_result(result, call, action);
      if (result.code == 0) runs.check_whole();
      runs.check_recovers(begun);
    }
  }
}

// The calls of a training to which nothing happens.
std::vector<WriteCall> calls_of(FaultyRun& runs, bool begun) {
  runs.lay_out(begun);
  REQUIRE(runs.train(begun).code == 0);
  return runs.calls();
}

const std::string no_space = std::to_string(ENOSPC);

}  // namespace

TEST_CASE("when the disk is full at any call, the run says so and goes on later to the same bits", "[cli]") {
  FaultyRun runs;
  const std::vector<WriteCall> calls = first_of_each(calls_of(runs, true));
  CHECK(calls.size() > 30);
  try_calls(runs, true, calls, {no_space});
}

TEST_CASE("a run that is killed at any call of a save goes on to the same bits", "[cli]") {
  FaultyRun runs;
  std::vector<WriteCall> calls = first_of_each(calls_of(runs, true));
  std::erase_if(calls, [](const WriteCall& call) {
    return call.file() != "last.fovea" && (call.name != "write" || call.file().ends_with(".json"));
  });
  CHECK(calls.size() >= 8);
  try_calls(runs, true, calls, {"kill", "torn"});
}

TEST_CASE("a call that a signal interrupted is made again, and a short write is completed", "[cli]") {
  FaultyRun runs;
  for (const WriteCall& call : first_of_each(calls_of(runs, true))) {
    const bool repeated =
        call.name == "open" || call.name == "write" || call.name == "fsync" || call.name == "close";
    if (!repeated || (call.file() != "last.fovea" && call.file() != "metrics.csv")) continue;
    for (const std::string& action : {std::to_string(EINTR), std::string("short")}) {
      runs.lay_out(true);
      const Result result = runs.train(true, action, call.number);
      INFO(action << " at call " << call.number << ", " << call.name << " of " << call.path << "\n"
                  << result.err);
      CHECK(result.code == 0);
      runs.check_whole();
    }
  }
}

// Case coqui Trainer#99.
TEST_CASE("SIGINT during a save, once or twice, loses nothing", "[cli]") {
  FaultyRun runs;
  for (const WriteCall& call : first_of_each(calls_of(runs, true))) {
    if (call.file() != "last.fovea" || call.name == "remove") continue;
    for (const std::string action : {"signal", "signals"}) {
      runs.lay_out(true);
      const Result result = runs.train(true, action, call.number);
      INFO(action << " at call " << call.number << ", " << call.name << " of " << call.path << "\n"
                  << result.err);
      CHECK(result.code == 130);
      const std::uint64_t step = read_checkpoint(Run::last_of(runs.run())).position.step;
      // Once: this save is finished, and the next step, too. Twice: what is there depends on whether the new
      // file had its name already.
      if (action == "signal") {
        CHECK(step == 4);
        CHECK_THAT(result.err, Contains("go on with: "));
      } else {
        CHECK((step == 2 || step == 3));
      }
      runs.check_recovers(true);
    }
  }
}

// Hidden, for it takes minutes: script/test --full.
TEST_CASE("every call, every error", "[.full]") {
  std::vector<std::string> actions{"kill", "torn", "short", "signal", "signals"};
  for (const int reason : {ENOSPC, EIO, EROFS, EACCES, EDQUOT, ENOENT, EINTR})
    actions.push_back(std::to_string(reason));
  FaultyRun runs;
  std::size_t count = 0;
  for (const bool begun : {false, true}) {
    const std::vector<WriteCall> calls = calls_of(runs, begun);
    try_calls(runs, begun, calls, actions);
    count += calls.size();
  }
  std::cout << "faults: " << count << " calls × " << actions.size() << " errors and ends, nothing lost\n";
}
