#include "cli/manual.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "training/version.hpp"

namespace fovea {
namespace {

// Text as roff takes it: a dash is a dash that can be copied, and a line that begins with a dot is no
// request.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\n.br\n";
      continue;
    }
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else {
      result += c == '-' ? "\\-" : std::string(1, c);
    }
  }
  return result;
}

std::string shown(const PlaceOption& option) {
  if (option.positional)
    return fmt::format(".TP\n\\fI{}\\fR\n{}\n", escaped(option.name), escaped(option.about));
  const std::string value = option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", escaped(option.value));
  const std::string letter = option.letter.empty() ? "" : fmt::format("\\fB\\-{}\\fR, ", option.letter);
  return fmt::format(".TP\n{}\\fB\\-\\-{}\\fR{}\n{}\n", letter, escaped(option.name), value,
                     escaped(option.about));
}

bool is_in(const PlaceOption& option, const Place& place) {
  return std::any_of(place.options.begin(), place.options.end(), [&](const PlaceOption& other) {
    return other.name == option.name && other.about == option.about;
  });
}

std::vector<const Place*> below(std::span<const Place> places, const Place& place) {
  std::vector<const Place*> found;
  for (const Place& one : places)
    if (!place.path.empty() && one.path.starts_with(place.path + " ")) found.push_back(&one);
  return found;
}

// A command; options that all its tasks have are told once.
std::string section(std::span<const Place> places, const Place& place) {
  const auto tasks = below(places, place);
  const bool is_of_tasks = place.path != "experiment";
  std::string text = fmt::format(".SS fovea {}{}\n{}\n", escaped(place.path),
                                 tasks.empty() ? ""
                                 : is_of_tasks ? " TASK"
                                               : " NAME",
                                 escaped(place.about));
  for (const PlaceOption& option : place.options)
    if (option.name != "help") text += shown(option);
  if (!place.footer.empty()) text += fmt::format(".PP\n{}\n", escaped(place.footer));
  if (tasks.empty()) return text;
  const auto common = [&](const PlaceOption& option) {
    return std::all_of(tasks.begin(), tasks.end(), [&](const Place* task) { return is_in(option, *task); });
  };
  text += fmt::format(".PP\nOptions of every {}:\n", is_of_tasks ? "task" : "experiment");
  for (const PlaceOption& option : tasks.front()->options)
    if (option.name != "help" && common(option)) text += shown(option);
  for (const Place* task : tasks) {
    text += fmt::format(".PP\n\\fBfovea {}\\fR: {}\n", escaped(task->path), escaped(task->about));
    for (const PlaceOption& option : task->options)
      if (!common(option)) text += shown(option);
  }
  return text;
}

constexpr const char* ending =
    R"(.SH EXIT STATUS
0 when all is well, 1 for a failure while running, 2 for a wrong call or configuration, 3 for data that cannot be read
(with file and line), 4 for a checkpoint, 5 when training diverged; 130 and 143 after an interruption that was saved.
.SH ENVIRONMENT
.TP
\fBFOVEA_EXAMPLES\fR
the folder where the data that come with the tasks are
.TP
\fBFOVEA_LEVEL\fR
the kernels: plain, v2, v3 or v4; without it the best that this processor runs
.TP
\fBOPENBLAS_CORETYPE\fR
the kernels of OpenBLAS; without it the best of them that give right results here
.SH FILES
.TP
\fIruns/\fR
a folder for each run: its configuration, log, metrics and checkpoints
.SH SEE ALSO
\fBfovea\fR \fICOMMAND\fR \fB\-\-help\fR
)";

}  // namespace

std::string manual(std::span<const Place> places) {
  const Place& program = places.front();
  std::string text = fmt::format(
      ".TH FOVEA 1 \"\" \"fovea {}\" \"User Commands\"\n"
      ".SH NAME\nfovea \\- trains, evaluates and explains attention models\n"
      ".SH SYNOPSIS\n\\fBfovea\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR ...] [\\fIOPTION\\fR ...]\n"
      ".SH DESCRIPTION\n{}\n",
      version(), escaped(program.about));
  for (const PlaceOption& option : program.options) text += shown(option);
  text += ".SH COMMANDS\n";
  for (const Place& place : places)
    if (!place.path.empty() && place.path.find(' ') == std::string::npos) text += section(places, place);
  return text + ending;
}

}  // namespace fovea
