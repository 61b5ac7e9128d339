#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/check.hpp"

// Trainings that a folder collects, each made by a process of its own: what `compare` and `experiment` do.

namespace fovea {

/// A folder goes on with the work that was begun there, and takes no other: makes it, or checks that it holds
/// `name`.json with this text. ConfigError where it holds something else.
void claim(const std::filesystem::path& folder, const std::string& name, const std::string& record);

struct Job {
  std::string name;                // for people
  std::vector<std::string> words;  // `train TASK …` without `--out`
  std::filesystem::path place;     // of the run; its log stands beside it
};

/// What a training leaves when it comes to its end.
std::filesystem::path result_file(const Job& job);

/// A training ended in a way that would meet the next ones, too.
struct TrainingFailed : Error {
  TrainingFailed(int exit_code, std::size_t number, const std::string& text)
      : Error(text), code(exit_code), job(number) {}
  int code;
  std::size_t job;
};

/// A signal asked for an end; the trainings that ran have saved what they had.
struct Stopped {
  int signal;
};
/// Says how to go on; returns the exit code.
int stopped_by(int signal, const std::string& again);

/// Trains all jobs that have no result yet, at most so many at once, and resumes those that were interrupted;
/// says on stderr which it begins. Returns for each whether it diverged, which is a result, too.
std::vector<bool> train_all(std::span<const Job> jobs, std::size_t at_once);

}  // namespace fovea
