#include "cli/places.hpp"

#include <CLI/CLI.hpp>

namespace fovea {
namespace {

std::string first_of(const std::vector<std::string>& names) { return names.empty() ? "" : names.front(); }

// `add_flags` writes what is allowed behind the help: `… (one of dot, additive)`.
std::vector<std::string> choices_in(const std::string& about) {
  const std::string mark = " (one of ";
  const std::size_t begin = about.rfind(mark);
  std::vector<std::string> choices;
  if (begin == std::string::npos || about.back() != ')') return choices;
  std::string rest = about.substr(begin + mark.size(), about.size() - begin - mark.size() - 1);
  for (std::size_t comma; (comma = rest.find(", ")) != std::string::npos; rest.erase(0, comma + 2))
    choices.push_back(rest.substr(0, comma));
  choices.push_back(rest);
  return choices;
}

PlaceOption option_of(const CLI::Option& option) {
  const bool positional = !option.nonpositional();
  const std::string about = option.get_description();
  const bool takes_value = option.get_expected_max() > 0;
  return {positional ? option.get_name(true) : first_of(option.get_lnames()),
          takes_value ? option.get_type_name() : "", about, choices_in(about), positional};
}

void add_places(const CLI::App& app, const std::string& path, std::vector<Place>& all) {
  Place place{path, app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    const PlaceOption one = option_of(*option);
    if (!one.name.empty()) place.options.push_back(one);
    // `--no-x` beside `--x`; CLI11 lists it among both.
    for (const std::string& no : option->get_fnames())
      if (no != one.name) place.options.push_back({no, "", "the opposite of --" + one.name, {}, false});
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
