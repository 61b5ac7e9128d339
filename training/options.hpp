#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "optim/param_group.hpp"

namespace fovea {

/// One setting: its name, what it means, which values it takes, and the variable that holds it.
class Option {
 public:
  using Texts = std::vector<std::string>;  // after a flag, separated by commas
  using Groups = std::vector<ParamGroup>;  // [[tables]] of a file, for which there is no flag
  using Target = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*, Texts*, Groups*>;

  Option(std::string name, Target target, std::string help);

  // Limits, for numbers; a value outside is a ConfigError that names the range.
  Option& at_least(double lowest);
  Option& above(double bound);
  Option& between(double lowest, double highest);
  /// For texts: the only values there are.
  Option& choices(std::vector<std::string> values);
  /// A resumed run may have another value than the run that it goes on with.
  Option& may_change();
  /// Says how a trained model is asked or measured: `evaluate` and `predict` take it, too.
  Option& also_later();
  /// Says where or how to run, not what: left out of files.
  Option& not_saved();
  /// Means something only while the text setting `other` is one of `values`: see Options::check_used.
  Option& only_with(std::string other, std::vector<std::string> values);

  const std::string& name() const { return name_; }
  const std::string& help() const { return help_; }
  bool is_flag() const { return std::holds_alternative<bool*>(target_); }
  bool is_text() const { return std::holds_alternative<std::string*>(target_); }
  bool is_list() const { return std::holds_alternative<Texts*>(target_); }
  bool is_tables() const { return std::holds_alternative<Groups*>(target_); }
  const Target& target() const { return target_; }
  bool changes() const { return may_change_; }
  bool saved() const { return saved_; }
  bool is_later() const { return also_later_; }

  /// What is allowed: `a number above 0`, `one of dot, additive`.
  std::string expected() const;
  /// The value as it is written after a flag: shortest form that reads back to the same bits.
  std::string value() const;
  /// Reads a value as it is written after a flag. ConfigError `where: expected …, got "…"`; nothing is
  /// changed then.
  void set(std::string_view text, const std::string& where);

 private:
  friend class Options;
  std::string name_, help_;
  Target target_;
  std::string start_;   // its value when it was described: the task's default
  bool given_ = false;  // by a flag
  std::string other_;   // the setting that it belongs to, if it does
  std::vector<std::string> others_;
  double lowest_ = -std::numeric_limits<double>::infinity();
  double highest_ = std::numeric_limits<double>::infinity();
  bool above_ = false, may_change_ = false, saved_ = true, also_later_ = false;
  std::vector<std::string> choices_;
};

/// The description of a config struct, written once: it serves the flags of the command line, TOML files,
/// the resolved config of a run, and checkpoints.
///
///     void Config::describe(Options& options) {
///       options.add("attention", attention, "how a query is scored").choices({"dot", "additive"});
///       options.add("noise", noise, "deviation of the noise added to inputs").between(0, 10);
///     }
///
/// A name is both flag (`--noise`) and TOML key (`noise = 0.5`, at top level). A list is an array there and
/// its elements with commas in between after a flag (one that holds a comma in quotes). Groups of parameters
/// are tables of a file:
///
///     [[groups]]
///     path = "encoder.*"
///     rate = 0.1      # times the learning rate
///     decay = 0       # in place of weight-decay
///
/// Holds pointers into the struct.
class Options {
 public:
  Options() = default;
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  template <class T>
  Option& add(std::string name, T& target, std::string help) {
    return insert(Option(std::move(name), Option::Target(&target), std::move(help)));
  }

  const std::deque<Option>& all() const { return options_; }
  Option* find(std::string_view name);
  std::vector<std::string> names() const;

  /// Sets one by name, as after a flag. An unknown name is a ConfigError with a suggestion.
  void set(std::string_view name, std::string_view text);
  /// Reads TOML. Every error is a ConfigError that starts with `origin:line:`.
  void read_toml(std::string_view text, const std::string& origin);
  void read_toml_file(const std::filesystem::path& path);
  /// All values that are saved, as TOML that `read_toml` reads.
  std::string toml() const;
  /// ConfigError for a setting that was given, or has another value than the task's own, and means nothing
  /// beside the others: `--lr-floor is for --schedule cosine, not constant; leave it out`.
  void check_used() const;
  /// The values that there are now are the task's own from here on: for `check_used`.
  void take_as_own();
  /// A function that makes everything as it is now. These options must live as long.
  std::function<void()> restorer();

 private:
  Option& insert(Option option);
  std::deque<Option> options_;  // keeps references valid
};

}  // namespace fovea
