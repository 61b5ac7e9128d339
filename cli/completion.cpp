#include "cli/completion.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/print.hpp"
#include "core/check.hpp"

namespace fovea {
namespace {

// Each script first goes through the words so far: those that lead on make up the place, ` train cities`.

std::string spaced(const Place& place) { return place.path.empty() ? "" : " " + place.path; }

// Every place that words lead to, in quotes.
std::string ways(std::span<const Place> places, const char* between) {
  std::vector<std::string> all;
  for (const Place& place : places)
    if (!place.path.empty()) all.push_back("'" + spaced(place) + "'");
  return fmt::format("{}", fmt::join(all, between));
}

// What can stand at a place: words that lead on, options, and the choices of an argument without a flag.
std::vector<std::string> words(const Place& place) {
  std::vector<std::string> all = place.commands;
  for (const PlaceOption& option : place.options) {
    if (option.positional) {
      all.insert(all.end(), option.choices.begin(), option.choices.end());
    } else {
      all.push_back("--" + option.name);
    }
  }
  return all;
}

// How an option that takes a value may stand before it: `'--output'`, `'-o'`, each behind its place.
std::vector<std::string> spellings(const Place& place, const PlaceOption& option) {
  std::vector<std::string> all{fmt::format("'{} --{}'", spaced(place), option.name)};
  if (!option.letter.empty()) all.push_back(fmt::format("'{} -{}'", spaced(place), option.letter));
  return all;
}

bool takes_files(const Place& place) {
  return std::any_of(place.options.begin(), place.options.end(),
                     [](const PlaceOption& option) { return option.positional && option.choices.empty(); });
}

std::string bash(std::span<const Place> places) {
  std::string text =
      "# bash completion of fovea\n"
      "_fovea() {\n"
      "  local place='' words='' files='' word cur=${COMP_WORDS[COMP_CWORD]} "
      "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \"$place $word\" in " +
      ways(places, "|") +
      ") place=\"$place $word\";; esac\n"
      "  done\n"
      "  case \"$place $prev\" in\n";
  for (const Place& place : places) {
    for (const PlaceOption& option : place.options) {
      if (option.value.empty() || option.positional) continue;
      const std::string pattern = fmt::format("{}", fmt::join(spellings(place, option), "|"));
      const std::string reply =
          option.choices.empty()
              ? "compgen -f -- \"$cur\""
              : fmt::format("compgen -W {} -- \"$cur\"",
                            shell_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
      text += fmt::format("    {}) mapfile -t COMPREPLY < <({}); return;;\n", pattern, reply);
    }
  }
  text += "  esac\n  case \"$place\" in\n";
  for (const Place& place : places)
    text += fmt::format("    '{}') words='{}'{};;\n", spaced(place), fmt::join(words(place), " "),
                        takes_files(place) ? " files=yes" : "");
  return text +
         "  esac\n"
         "  if [[ $files && $cur != -* ]]; then mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return; "
         "fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "}\n"
         "complete -o default -F _fovea fovea\n";
}

std::string zsh(std::span<const Place> places) {
  std::string text =
      "#compdef fovea\n"
      "# zsh completion of fovea\n"
      "_fovea() {\n"
      "  local place='' word\n"
      "  for word in ${words[2,CURRENT-1]}; do\n"
      "    case \"$place $word\" in (" +
      ways(places, "|") +
      ") place=\"$place $word\";; esac\n"
      "  done\n"
      "  case \"$place ${words[CURRENT-1]}\" in\n";
  for (const Place& place : places) {
    for (const PlaceOption& option : place.options) {
      if (option.value.empty() || option.positional) continue;
      const std::string reply =
          option.choices.empty() ? "_files" : fmt::format("compadd -- {}", fmt::join(option.choices, " "));
      text += fmt::format("    ({}) {}; return;;\n", fmt::join(spellings(place, option), "|"), reply);
    }
  }
  text += "  esac\n  case \"$place\" in\n";
  for (const Place& place : places)
    text += fmt::format("    ('{}') compadd -- {};;\n", spaced(place), fmt::join(words(place), " "));
  return text +
         "  esac\n"
         "  _files\n"
         "}\n"
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _fovea \"$@\"; else compdef _fovea fovea; "
         "fi\n";
}

// A text between single quotes, as fish reads it.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish(std::span<const Place> places) {
  std::string text = fmt::format(
      "# fish completion of fovea\n"
      "function __fovea_at\n"
      "    set -l place ''\n"
      "    for word in (commandline -opc)[2..-1]\n"
      "        contains -- \"$place $word\" {}; and set place \"$place $word\"\n"
      "    end\n"
      "    test \"$place\" = \"$argv[1]\"\n"
      "end\n",
      ways(places, " "));
  for (const Place& place : places) {
    const std::string here = fmt::format("complete -c fovea -n \"__fovea_at '{}'\"", spaced(place));
    if (!place.commands.empty()) text += fmt::format("{} -f\n", here);
    for (const Place& below : places) {
      for (const std::string& command : place.commands) {
        if (below.path == (place.path.empty() ? command : place.path + " " + command))
          text += fmt::format("{} -a {} -d {}\n", here, command, fish_quoted(below.about));
      }
    }
    for (const PlaceOption& option : place.options) {
      if (option.positional && !option.choices.empty())
        text += fmt::format("{} -f -a '{}'\n", here, fmt::join(option.choices, " "));
      if (option.positional) continue;
      text += fmt::format("{} -l {}{} -d {}", here, option.name,
                          option.letter.empty() ? "" : " -s " + option.letter, fish_quoted(option.about));
      if (!option.choices.empty()) text += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
      text += option.value.empty() || !option.choices.empty() ? "\n" : " -r\n";
    }
  }
  return text;
}

}  // namespace

std::string completion(std::span<const Place> places, const std::string& shell) {
  if (shell == "bash") return bash(places);
  if (shell == "zsh") return zsh(places);
  check<ConfigError>(shell == "fish", "completion", "there is none for \"", shell,
                     "\"; known are bash, zsh, fish");
  return fish(places);
}

}  // namespace fovea
