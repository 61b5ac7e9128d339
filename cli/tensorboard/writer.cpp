#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "cli/tensorboard.hpp"
#include "cli/tensorboard/images.hpp"
#include "cli/tensorboard/records.hpp"
#include "core/check.hpp"
#include "events.pb.h"
#include "training/run.hpp"
#include "training/watched.hpp"

namespace fovea {
namespace {

constexpr int buckets = 30, red_green_blue = 3;
constexpr std::string_view prefix = "events.out.tfevents.",
                           suffix = ".fovea";  // TensorBoard looks for the former

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// What a run that is replaced has left.
void remove_events(const std::filesystem::path& folder) {
  std::error_code reason;  // no folder, no files
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(folder, reason)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(suffix)) old.push_back(entry.path());
  }
  for (const std::filesystem::path& file : old) std::filesystem::remove(file, reason);
}

class Writer final : public RunSink {
 public:
  Writer(const std::filesystem::path& folder, std::uint64_t step, AskPictures pictures)
      : path_(folder / fmt::format("{}{:.0f}{}", prefix, now() * 1e6, suffix)),
        pictures_(std::move(pictures)) {
    std::error_code reason;
    std::filesystem::create_directories(folder, reason);
    if (reason) throw Error("cannot create " + folder.string() + ": " + reason.message());
    file_.open(path_, std::ios::binary);
    events::Event version;
    version.set_file_version("brain.Event:2");
    write(version, 0);
    events::Event start;
    start.mutable_session_log()->set_status(events::SessionLog::START);
    write(start, step + 1);
  }

  void row(const Row& row) override {
    events::Event event;
    add(event, "train/loss", row.loss);
    add(event, "train/lr", row.rate);
    add(event, "train/epoch", static_cast<double>(row.epoch));
    for (const Metrics::Entry& entry : row.metrics.entries)
      add(event, "validation/" + entry.name, entry.value);
    write(event, row.step);
  }

  void watched(const Watched& seen) override {
    events::Event event;
    add(event, "train/gradient", seen.gradient());
    for (const HeadFacts& head : seen.heads) {
      const std::string place =
          fmt::format("{}/head {}/", head.path.empty() ? "attention" : head.path, head.head);
      add(event, place + "entropy", head.entropy);
      add(event, place + "spread", head.spread);
      add(event, place + "saturated", head.saturated);
    }
    for (const ParamFacts& one : seen.params)
      if (one.gradient) add(event, "gradient/" + one.path, *one.gradient);
    write(event, seen.step);
  }

  void parameter(std::uint64_t step, std::string_view path, std::span<const double> values) override {
    if (values.empty()) return;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (!std::isfinite(*low) || !std::isfinite(*high)) return;
    events::Event event;
    events::Summary::Value& value = *event.mutable_summary()->add_value();
    value.set_tag("parameter/" + std::string(path));
    events::Histogram& histogram = *value.mutable_histo();
    const double width = *high > *low ? (*high - *low) / buckets : 1;
    std::vector<double> counts(buckets);
    double sum = 0, squares = 0;
    for (const double x : values) {
      ++counts[std::min<std::size_t>(buckets - 1, static_cast<std::size_t>((x - *low) / width))];
      sum += x;
      squares += x * x;
    }
    histogram.set_min(*low);
    histogram.set_max(*high);
    histogram.set_num(static_cast<double>(values.size()));
    histogram.set_sum(sum);
    histogram.set_sum_squares(squares);
    for (int i = 0; i < buckets; ++i) {
      histogram.add_bucket_limit(*low + width * (i + 1));
      histogram.add_bucket(counts[static_cast<std::size_t>(i)]);
    }
    write(event, step);
  }

  void evaluated(std::uint64_t step) override {
    if (!pictures_) return;
    const std::vector<events::AttentionImage> images = events::attention_images(pictures_());
    if (images.empty()) {
      pictures_ = nullptr;  // the task shows something else, and asking takes time
      return;
    }
    events::Event event;
    for (const events::AttentionImage& image : images) {
      events::Summary::Value& value = *event.mutable_summary()->add_value();
      value.set_tag(image.tag);
      events::Image& shown = *value.mutable_image();
      shown.set_height(static_cast<std::int32_t>(image.height));
      shown.set_width(static_cast<std::int32_t>(image.width));
      shown.set_colorspace(red_green_blue);
      shown.set_encoded_image_string(image.png);
    }
    write(event, step);
  }

 private:
  static void add(events::Event& event, const std::string& tag, double number) {
    events::Summary::Value& value = *event.mutable_summary()->add_value();
    value.set_tag(tag);
    value.set_simple_value(static_cast<float>(number));
  }

  void write(events::Event& event, std::uint64_t step) {
    event.set_wall_time(now());
    event.set_step(static_cast<std::int64_t>(step));
    file_ << events::record(event.SerializeAsString()) << std::flush;
    if (!file_) throw Error("cannot write " + path_.string() + "; is the disk full?");
  }

  std::filesystem::path path_;
  AskPictures pictures_;
  std::ofstream file_;
};

}  // namespace

std::unique_ptr<RunSink> tensorboard_sink(const std::filesystem::path& folder, std::uint64_t step,
                                          AskPictures pictures) {
  if (step == 0) remove_events(folder);
  return std::make_unique<Writer>(folder, step, std::move(pictures));
}

}  // namespace fovea
