#include "training/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <utf8proc.h>

#include "core/check.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

bool is_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t letter = 0;
    const utf8proc_ssize_t used = utf8proc_iterate(bytes, left, &letter);
    if (used <= 0) return false;
    bytes += used;
    left -= used;
  }
  return true;
}

// The whole of `text` as a T.
template <class T>
bool parse(std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = text == "true";
    return text == "true" || text == "false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = text;
    return true;
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if constexpr (std::is_same_v<T, double>) return whole && std::isfinite(value);
    return whole;
  }
}

// `a,b` → {a, b}; an element with a comma stands in quotes, with "" for a quote in it. An empty text is an
// empty list; an empty element is a slip.
bool parse_list(std::string_view text, std::vector<std::string>& values) {
  if (text.empty()) return true;
  if (!is_utf8(text)) return false;
  for (bool more = true; more;) {
    std::string& value = values.emplace_back();
    bool quoted = false;
    more = false;
    for (; !text.empty() && !more; text.remove_prefix(1)) {
      if (text.front() == '"' && (value.empty() || quoted)) {
        if (quoted && text.starts_with("\"\"")) {
          value += '"';
          text.remove_prefix(1);
        } else {
          quoted = !quoted;
        }
      } else if (text.front() == ',' && !quoted) {
        more = true;
      } else {
        value += text.front();
      }
    }
    if (value.empty() || quoted) return false;
  }
  return true;
}

std::string list_text(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + csv_field(value);
  return text;
}

// `2`, `0.1`: as a person would write a limit.
std::string number(double value) { return fmt::format("{}", value); }

}  // namespace

Option::Option(std::string name, Target target, std::string help)
    : name_(std::move(name)), help_(std::move(help)), target_(target), start_(value()) {}

Option& Option::at_least(double lowest) {
  lowest_ = lowest;
  return *this;
}

Option& Option::above(double bound) {
  above_ = true;
  return at_least(bound);
}

Option& Option::between(double lowest, double highest) {
  highest_ = highest;
  return at_least(lowest);
}

Option& Option::choices(std::vector<std::string> values) {
  choices_ = std::move(values);
  return *this;
}

Option& Option::may_change() {
  may_change_ = true;
  return *this;
}

Option& Option::also_later() {
  also_later_ = true;
  return *this;
}

Option& Option::not_saved() {
  saved_ = false;
  return *this;
}

Option& Option::only_with(std::string other, std::vector<std::string> values) {
  other_ = std::move(other);
  others_ = std::move(values);
  return *this;
}

std::string Option::expected() const {
  if (is_list()) return "texts separated by commas";
  if (is_tables()) return "tables with path, rate and decay";
  if (is_flag()) return "true or false";
  if (is_text()) return choices_.empty() ? "a text" : "one of " + list(choices_);
  const bool whole = !std::holds_alternative<double*>(target_);
  const bool natural = std::holds_alternative<std::uint64_t*>(target_);
  const double lowest = natural ? std::max(lowest_, 0.0) : lowest_;
  std::string text = whole ? "a whole number" : "a number";
  if (std::isfinite(highest_))
    return text + fmt::format(" between {} and {}", number(lowest), number(highest_));
  if (std::isfinite(lowest)) text += (above_ ? " above " : " of at least ") + number(lowest);
  return text;
}

std::string Option::value() const {
  return std::visit(
      [](const auto* target) {
        using T = std::remove_cvref_t<decltype(*target)>;
        std::string all;
        if constexpr (std::is_same_v<T, Texts>) {
          all = list_text(*target);
        } else if constexpr (std::is_same_v<T, Groups>) {
          for (const ParamGroup& group : *target) {
            all += fmt::format("{}{} (rate {}", all.empty() ? "" : ", ", group.glob, group.rate);
            all += group.decay ? fmt::format(", decay {})", *group.decay) : ")";
          }
        } else {
          all = fmt::format("{}", *target);
        }
        return all;
      },
      target_);
}

void Option::set(std::string_view text, const std::string& where) {
  std::visit(
      [&](auto* target) {
        using T = std::remove_pointer_t<decltype(target)>;
        T value{};
        bool valid = false;
        if constexpr (std::is_same_v<T, Texts>) {
          valid = parse_list(text, value);
        } else if constexpr (!std::is_same_v<T, Groups>) {
          valid = parse(text, value);
        }
        if constexpr (std::is_same_v<T, std::uint64_t>) {
          // TOML's whole numbers end there: what could not be read back is not taken.
          valid = valid && value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        }
        if constexpr (std::is_same_v<T, std::string>) {
          if (!is_utf8(text)) throw ConfigError(fmt::format("{}: the text is not valid UTF-8", where));
          valid = choices_.empty() || std::find(choices_.begin(), choices_.end(), text) != choices_.end();
        } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
          const double number = static_cast<double>(value);
          valid = valid && number >= lowest_ && number <= highest_ && !(above_ && number == lowest_);
        }
        if (!valid) {
          const std::string hint = is_text() ? suggestion(text, choices_) : std::string();
          throw ConfigError(fmt::format("{}: expected {}, got \"{}\"{}", where, expected(), text, hint));
        }
        *target = std::move(value);
      },
      target_);
}

Option& Options::insert(Option option) {
  check<ConfigError>(find(option.name()) == nullptr, "options", "\"", option.name(), "\" is described twice");
  return options_.emplace_back(std::move(option));
}

Option* Options::find(std::string_view name) {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const Option& option) { return option.name() == name; });
  return found == options_.end() ? nullptr : &*found;
}

std::vector<std::string> Options::names() const {
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back(option.name());
  return names;
}

void Options::set(std::string_view name, std::string_view text) {
  Option* option = find(name);
  if (!option) {
    std::vector<std::string> flags;
    for (const std::string& one : names()) flags.push_back("--" + one);
    const std::string flag = fmt::format("--{}", name);
    throw ConfigError(fmt::format("unknown option \"{}\"{}", flag, suggestion(flag, flags)));
  }
  option->set(text, fmt::format("--{}", name));
  option->given_ = true;
}

void Options::take_as_own() {
  for (Option& option : options_) option.start_ = option.value();
}

std::function<void()> Options::restorer() {
  std::vector<std::function<void()>> all;
  for (Option& option : options_) {
    std::visit(
        [&](auto* target) {
          all.push_back([&option, target, value = *target, given = option.given_] {
            *target = value;
            option.given_ = given;
          });
        },
        option.target_);
  }
  return [all = std::move(all)] {
    for (const auto& restore : all) restore();
  };
}

void Options::check_used() const {
  for (const Option& option : options_) {
    if (option.other_.empty() || (!option.given_ && option.value() == option.start_)) continue;
    const auto other = std::find_if(options_.begin(), options_.end(),
                                    [&](const Option& one) { return one.name() == option.other_; });
    const std::string chosen = other == options_.end() ? "" : other->value();
    const bool used = std::find(option.others_.begin(), option.others_.end(), chosen) != option.others_.end();
    check<ConfigError>(used, "settings", "--", option.name(), " is for --", option.other_, " ",
                       list(option.others_), ", not ", chosen, "; leave it out");
  }
}

}  // namespace fovea
