#include "cli/report_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include <fmt/format.h>

#include "cli/lookup.hpp"
#include "core/check.hpp"
#include "report/page.hpp"
#include "training/file.hpp"
#include "training/text.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

bool ends_in(const fs::path& file, std::string_view extension) {
  const std::string own = file.extension().string();
  return std::equal(own.begin(), own.end(), extension.begin(), extension.end(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

bool is_svg(const fs::path& file) { return ends_in(file, ".svg"); }

// Whether nothing but examples was asked for.
bool needs_examples(const PlotRequest& request) {
  return request.show == "examples" || !request.wanted.items.empty();
}

// The model that a run has chosen, or the last one.
fs::path model_of(const fs::path& run) {
  return fs::exists(Run::best_of(run)) ? Run::best_of(run) : Run::last_of(run);
}

std::vector<report::Picture> pictures_of(const fs::path& run, const PlotRequest& request) {
  const fs::path file = model_of(run);
  check<ConfigError>(fs::exists(file), "plot", run.string(),
                     " has no checkpoint yet, so there is no model to show examples of");
  const Checkpoint from = read_checkpoint(file, Reading::to_predict);
  const TaskEntry& task = task_named(tasks(), from.label.task);
  if (!task.pictures) {
    check<ConfigError>(!needs_examples(request), "plot", "the task ", task.name,
                       " has no pictures of its items");
    return {};
  }
  return task.pictures(from, {request.data, {}}, request.wanted);
}

// The same, or nothing but a word on what kept them away: curves need neither model nor data.
std::vector<report::Picture> pictures_if_any(const fs::path& run, const PlotRequest& request) {
  if (needs_examples(request)) return pictures_of(run, request);
  try {
    return pictures_of(run, request);
  } catch (const Error& error) {
    fmt::print(stderr,
               "fovea: no examples of {}: {} (--data names the data, --show curves leaves them out)\n",
               run.string(), one_line(error.what()));
    return {};
  }
}

}  // namespace

void write_report(Run& run, const std::function<std::vector<report::Picture>()>& pictures) {
  try {
    report::Page page;
    page.runs = {report::read_run(run.folder())};
    page.charts = report::charts(page.runs);
    page.pictures = pictures();
    replace_file(run.folder() / "report.html", report::html(page));
  } catch (const std::exception& error) {
    const std::string text = fmt::format("report.html was not written: {}", error.what());
    run.warn(text);
    fmt::print(stderr, "fovea: {}\n", one_line(text));
  }
}

std::string plot(const PlotRequest& request) {
  check<ConfigError>(request.runs.size() == 1 || !request.file.empty(), "plot",
                     "several runs make a page of their own; name its file with -o");
  const fs::path file =
      request.file.empty() ? fs::path(request.runs.front()) / "report.html" : fs::path(request.file);
  check<ConfigError>(is_svg(file) || ends_in(file, ".html"), "--output", file.string(),
                     " ends in neither .html nor .svg, which is what can be written");
  report::Page page;
  for (const std::string& folder : request.runs) {
    page.runs.push_back(report::read_run(folder));
    check<DataError>(page.runs.back().rows > 0 || request.show == "examples", "plot",
                     (fs::path(folder) / "metrics.jsonl").string(),
                     " has no rows: the run has not come to its first evaluation (--eval-every)");
  }
  const std::vector<fs::path> folders(request.runs.begin(), request.runs.end());
  const std::vector<std::string> names = report::names_apart(folders);
  for (std::size_t i = 0; i < names.size(); ++i) page.runs[i].name = names[i];
  if (request.show != "examples") page.charts = report::charts(page.runs);
  // Whoever compares runs wants their curves, unless items are named.
  if (request.show != "curves" && (request.runs.size() == 1 || needs_examples(request))) {
    for (std::size_t i = 0; i < request.runs.size(); ++i) {
      for (report::Picture& picture : pictures_if_any(request.runs[i], request)) {
        if (request.runs.size() > 1) picture.group = page.runs[i].name;
        page.pictures.push_back(std::move(picture));
      }
    }
  }
  replace_file(file, is_svg(file) ? report::svg(page) : report::html(page));
  return file.string();
}

}  // namespace fovea
