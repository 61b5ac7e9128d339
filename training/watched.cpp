#include "training/watched.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "training/text.hpp"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

std::string module_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == path.npos ? path : path.substr(0, dot);
}

std::string percent(double part) {
  return part < 0.1 || part > 10 ? brief(100 * part, 2) + " %" : fmt::format("{:.0f} %", 100 * part);
}

// The first few.
std::string some(std::vector<std::string> paths) {
  constexpr std::size_t shown = 4;
  const std::size_t all = paths.size();
  if (all > shown + 1) paths.resize(shown);
  return list(paths) + (all > paths.size() ? fmt::format(" and {} more", all - shown) : "");
}

std::string place_of(const HeadFacts& head) {
  return fmt::format("{}, head {}", head.path.empty() ? "the attention" : head.path, head.head);
}

// The limits beyond which something is told. They are wide: what trains well stays within them. An attention
// that has learned may well be sure of itself; one that knows nothing yet may not, nor one in a model that
// has not learned.
constexpr double uniform_evenness = 0.99, collapsed_at_first = 0.5, collapsed = 0.9, apart = 60,
                 large_change = 0.5;
constexpr double risen_much = 30, risen_for_long = 3, hardly_learned = 0.5;  // of losses
constexpr int lasting_uniform = 3, lasting_collapsed = 2, lasting_rise = 2;  // looks

}  // namespace

double Watched::gradient() const {
  double squares = 0;
  for (const ParamFacts& one : params) squares += one.gradient.value_or(0) * one.gradient.value_or(0);
  return std::sqrt(squares);
}

std::string Watched::table() const {
  std::string text =
      fmt::format("watch: step {}  loss {}  gradient {}", step, brief(loss), brief(gradient()));
  for (const HeadFacts& head : heads)
    text += fmt::format("\n  {:<34} scores {} … {}, spread {}  entropy {} ({} of the largest)  saturated {}",
                        place_of(head), brief(head.lowest, 3), brief(head.highest, 3), brief(head.spread, 3),
                        brief(head.entropy, 3), percent(head.evenness), percent(head.saturated));
  struct Sum {
    double norm = 0, gradient = 0, change = 0;
  };
  std::vector<std::pair<std::string, Sum>> modules;
  for (const ParamFacts& one : params) {
    if (modules.empty() || modules.back().first != module_of(one.path))
      modules.push_back({module_of(one.path), {}});
    Sum& sum = modules.back().second;
    const double gradient = one.gradient.value_or(0), change = one.change * one.norm;
    sum.norm += one.norm * one.norm;
    sum.gradient += gradient * gradient;
    sum.change += change * change;
  }
  for (const auto& [module, sum] : modules)
    text += fmt::format("\n  {:<34} norm {}  gradient {}  changed by {}", module,
                        brief(std::sqrt(sum.norm), 3), brief(std::sqrt(sum.gradient), 3),
                        percent(sum.norm > 0 ? std::sqrt(sum.change / sum.norm) : 0));
  return text;
}

std::string Watched::json() const {
  Json object{{"step", step}, {"loss", loss}, {"mean_loss", mean_loss}, {"gradient", gradient()}};
  object["attentions"] = Json::array();
  for (const HeadFacts& head : heads)
    object["attentions"].push_back({{"path", head.path},
                                    {"head", head.head},
                                    {"queries", head.queries},
                                    {"lowest", head.lowest},
                                    {"highest", head.highest},
                                    {"spread", head.spread},
                                    {"entropy", head.entropy},
                                    {"evenness", head.evenness},
                                    {"saturated", head.saturated}});
  object["parameters"] = Json::object();
  for (const ParamFacts& one : params)
    object["parameters"][one.path] = {{"norm", one.norm},
                                      {"gradient", one.gradient ? Json(*one.gradient) : Json()},
                                      {"change", one.change}};
  return object.dump();
}

void Findings::look_at_loss(const Watched& now, bool first, const Tell& tell) {
  if (!first_loss_ && std::isfinite(now.loss)) first_loss_ = now.loss;
  const double mean = now.mean_loss;
  risen_ = lowest_mean_ && mean > risen_for_long * std::abs(*lowest_mean_) ? risen_ + 1 : 0;
  // A single batch says little, and the first look has no more.
  const bool much = first_loss_ && mean > risen_much * std::abs(*first_loss_);
  if (much || risen_ >= lasting_rise)
    tell(
        "loss", "",
        fmt::format(
            "the loss is {} and was {}: it rises. Usual cause: the learning rate is too high; try a tenth of "
            "--lr, or --warmup",
            brief(mean), much ? brief(*first_loss_) + " at first" : brief(*lowest_mean_)));
  if (!first && std::isfinite(mean)) lowest_mean_ = std::min(lowest_mean_.value_or(mean), mean);
}

void Findings::look_at_head(const HeadFacts& head, double mean_loss, bool first, const Tell& tell) {
  if (head.queries == 0) return;
  const std::string place = place_of(head);
  Lasting& lasting = lasting_[place];
  const bool grows = head.spread > 1.2 * lasting.spread;  // it learns to tell keys apart
  lasting.uniform = !first && head.evenness > uniform_evenness && !grows ? lasting.uniform + 1 : 0;
  lasting.saturated = !first && head.saturated > collapsed ? lasting.saturated + 1 : 0;
  lasting.spread = head.spread;

  const bool without_learning = lasting.saturated >= lasting_collapsed && first_loss_ &&
                                mean_loss > hardly_learned * std::abs(*first_loss_);
  const bool far_apart = lasting.saturated > 0 && head.spread > apart;
  if ((first && head.saturated > collapsed_at_first) || without_learning || far_apart)
    tell(
        "collapsed", place,
        fmt::format(
            "{} has collapsed: {} of its queries give more than 0.99 of their weight to one key, with scores "
            "{} "
            "apart{}. No gradient passes such a softmax. Usual cause: dot products of wide vectors without "
            "1/√width (take scaled_dot), a learning rate that is too high, or an --entropy that is too large",
            place, percent(head.saturated), brief(head.spread, 3),
            first ? ", before anything was learned" : ""));
  if (lasting.uniform >= lasting_uniform)
    tell("uniform", place,
         fmt::format("{} is uniform: its weights have {} of the largest entropy, its scores are {} apart and "
                     "stay so. It "
                     "tells no keys apart. Usual cause: its scores are too small (their scale, or a learning "
                     "rate that "
                     "is too low), no gradient reaches it, or the task does not need it",
                     place, percent(head.evenness), brief(head.spread, 3)));
}

std::vector<std::string> Findings::of(const Watched& now) {
  const bool first = std::exchange(at_first_, false);
  std::vector<std::string> found;
  const Tell tell = [&](const std::string& kind, const std::string& place, const std::string& text) {
    if (told_.insert(kind + " " + place).second) found.push_back(text);
  };
  look_at_loss(now, first, tell);

  std::vector<std::string> changed, cut, silent;
  double most = 0;
  for (const ParamFacts& one : now.params) {
    if (one.matrix && one.change > large_change) {
      changed.push_back(one.path);
      most = std::max(most, one.change);
    }
    if (!one.gradient) cut.push_back(one.path);
    // At first a layer of zeros may stand behind it.
    if (one.gradient && *one.gradient == 0 && !first) silent.push_back(one.path);
  }
  if (!changed.empty())
    tell("change", "",
         fmt::format("one step changes {} by up to {} of {} norm; about 0.1 % is usual. Usual cause: the "
                     "learning rate "
                     "is too high; try a hundredth of --lr, or --warmup",
                     some(changed), percent(most), changed.size() == 1 ? "its" : "their"));
  if (!cut.empty() && cut.size() == now.params.size())
    tell("cut", "all",
         "no parameter receives a gradient: the loss hangs on none of them. Usual cause: it is computed from "
         "raw tensors, "
         "or under NoGrad");
  else if (!cut.empty())
    tell("cut", list(cut),
         fmt::format(
             "no gradient reaches {}: nothing that the loss hangs on was computed with {}. Usual cause: a "
             "value "
             "was taken out of the graph on the way (detach, .value(), NoGrad), or the module is not used; "
             "freeze on purpose with --freeze",
             some(cut), cut.size() == 1 ? "it" : "them"));
  if (!silent.empty())
    tell("silent", list(silent),
         fmt::format("the gradient of {} is exactly 0. Usual cause: a softmax or tanh before the loss is "
                     "saturated, or "
                     "all that it makes is masked",
                     some(silent)));
  for (const HeadFacts& head : now.heads) look_at_head(head, now.mean_loss, first, tell);
  return found;
}

}  // namespace fovea
