#include "cli/places.hpp"

#include <CLI/CLI.hpp>

namespace fovea {
namespace {

std::string first_of(const std::vector<std::string>& names) { return names.empty() ? "" : names.front(); }

std::vector<std::string> parts_of(std::string text, const std::string& between) {
  std::vector<std::string> parts;
  for (std::size_t at; (at = text.find(between)) != std::string::npos; text.erase(0, at + between.size()))
    parts.push_back(text.substr(0, at));
  parts.push_back(text);
  return parts;
}

// `add_flags` writes what is allowed behind the help: `… (one of dot, additive)`.
std::vector<std::string> choices_in(const std::string& about) {
  const std::string mark = " (one of ";
  const std::size_t begin = about.rfind(mark);
  if (begin == std::string::npos || about.back() != ')') return {};
  return parts_of(about.substr(begin + mark.size(), about.size() - begin - mark.size() - 1), ", ");
}

PlaceOption option_of(const CLI::Option& option) {
  const bool positional = !option.nonpositional();
  PlaceOption one{positional ? option.get_name(true) : first_of(option.get_lnames()),
                  first_of(option.get_snames()),
                  "",
                  option.get_description(),
                  choices_in(option.get_description()),
                  positional};
  if (option.get_expected_max() == 0) return one;
  // Behind its kind CLI11 tells what a value is checked for: `TEXT:{all,curves}`, `UINT:INT in [0 - 9]`.
  const std::string kind = option.get_type_name();
  const std::size_t colon = kind.find(':');
  one.value = kind.substr(0, colon);
  if (colon == std::string::npos) return one;
  const std::string check = kind.substr(colon + 1);
  if (check.starts_with('{') && check.ends_with('}')) {
    one.choices = parts_of(check.substr(1, check.size() - 2), ",");
  } else if (!check.empty()) {
    one.about += " (" + check + ")";
  }
  return one;
}

void add_places(const CLI::App& app, const std::string& path, std::vector<Place>& all) {
  Place place{path, app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    const PlaceOption one = option_of(*option);
    if (option->get_group().empty()) continue;  // hidden
    if (!one.name.empty()) place.options.push_back(one);
    // `--no-x` beside `--x`; CLI11 lists it among both.
    for (const std::string& no : option->get_fnames())
      if (no != one.name) place.options.push_back({no, "", "", "the opposite of --" + one.name, {}, false});
  }
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : below) place.commands.push_back(command->get_name());
  all.push_back(std::move(place));
  for (const CLI::App* command : below)
    add_places(*command, path.empty() ? command->get_name() : path + " " + command->get_name(), all);
}

}  // namespace

std::vector<Place> places(const CLI::App& app) {
  std::vector<Place> all;
  add_places(app, "", all);
  return all;
}

}  // namespace fovea
