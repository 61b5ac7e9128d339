#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/account/figures.hpp"

namespace fovea::experiments {

/// Work that is timed, by the name of its column.
struct Timed {
  std::string column;
  std::function<void()> run;
};

/// Runs each once without looking, then `rounds` times in turns: the milliseconds of the rounds of each, in
/// the order of `all`. What disturbs the machine for a while meets all of them; so ratios of one round mean
/// something where times of different minutes do not.
std::vector<std::vector<double>> time_in_turns(const std::vector<Timed>& all, std::size_t rounds);
/// The same, added to the figures: each a column.
void time_in_turns(const std::vector<Timed>& all, std::size_t rounds, const std::string& table,
                   const std::string& row, Figures& into);

/// Adds a number of each round, which is its seed.
void add_rounds(Figures& into, const std::string& table, const std::string& row, const std::string& column,
                const std::vector<double>& values);

/// In each round one column by another: adds it as `ratio_column` of `ratio_table`.
void add_ratios(Figures& into, const std::string& table, const std::string& row, const std::string& column,
                const std::string& by, const std::string& ratio_table, const std::string& ratio_column);

/// How much more memory, in MB, this work holds at its peak than there was before: it runs in a process of
/// its own with one thread. Call it before anything used several threads. NaN where the system does not tell.
double peak_mb_of(const std::function<void()>& work);

}  // namespace fovea::experiments
