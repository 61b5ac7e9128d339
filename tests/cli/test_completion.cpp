#include <cstdlib>
#include <sstream>

#include <catch2/catch.hpp>

#include "cli/call.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

// What bash offers for the last of these words.
std::string offered(const Shell& shell, const std::string& words) {
  write(shell.folder / "ask.bash",
        "source completion.bash\n"
        "COMP_WORDS=(" +
            words +
            ")\n"
            "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
            "_fovea\n"
            "echo \"${COMPREPLY[*]}\" > offered\n");
  REQUIRE(std::system(("cd '" + shell.folder.path.string() + "' && bash ask.bash").c_str()) == 0);
  std::string text = content(shell.folder / "offered");
  text.pop_back();
  return text;
}

}  // namespace

TEST_CASE("bash completes commands, tasks, options and values", "[cli]") {
  const Shell shell;
  const Result script = shell.call({"completion", "bash"});
  REQUIRE(script.code == 0);
  write(shell.folder / "completion.bash", script.out);
  write(shell.folder / "a file", "");
  CHECK(offered(shell, "fovea ev") == "evaluate");
  CHECK(offered(shell, "fovea train li") == "line");
  CHECK(offered(shell, "fovea train line --sha") == "--shape");
  CHECK(offered(shell, "fovea train line --items 3 --shape ''") == "plain steep");
  CHECK(offered(shell, "fovea train line --config a") == "a file ask.bash");
  CHECK(offered(shell, "fovea train li --sha").empty());
  CHECK(offered(shell, "fovea completion f") == "fish");
  CHECK(offered(shell, "fovea plot --show ''") == "all curves examples");
  CHECK(offered(shell, "fovea plot --output ask") == "ask.bash");
  CHECK(offered(shell, "fovea plot -o ask") == "ask.bash");
  CHECK(offered(shell, "fovea predict ask") == "ask.bash");
  CHECK(offered(shell, "fovea predict --j") == "--json");
  CHECK(offered(shell, "fovea predict train --j") == "--json");  // a file that is called like a command
}

TEST_CASE("other shells have the same words, and an unknown one is an error", "[cli]") {
  const Shell shell;
  const Result zsh = shell.call({"completion", "zsh"}), fish = shell.call({"completion", "fish"});
  CHECK_THAT(zsh.out, Catch::StartsWith("#compdef fovea\n") &&
                          Contains("(' train line --shape') compadd -- plain steep"));
  CHECK_THAT(fish.out, Contains("complete -c fovea -n \"__fovea_at ' train line'\" -l shape") &&
                           Contains("-x -a 'plain steep'"));
  const Result other = shell.call({"completion", "csh"});
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("csh") && Contains("bash, zsh, fish"));
  CHECK(other.one_line());
}

TEST_CASE("the manual tells of every command and option", "[cli]") {
  const Shell shell;
  const Result page = shell.call({"manual"});
  REQUIRE(page.code == 0);
  CHECK_THAT(page.out, Catch::StartsWith(".TH FOVEA 1") && Contains("\n.SS fovea train TASK\n") &&
                           Contains("\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fITEXT\\fR\n") &&
                           !Contains("TEXT:") && Contains("(INT in [0 \\- 100])") &&
                           Contains("\\fB\\-\\-shape\\fR") && Contains("\\fB\\-\\-print\\-rates\\fR") &&
                           Contains(".SH EXIT STATUS"));
  // What all tasks have is told once.
  const std::string rates = "\\fB\\-\\-print\\-rates\\fR";
  CHECK(page.out.find(rates) == page.out.rfind(rates));
  // Every line that begins with a dot is a request that man knows.
  std::istringstream lines(page.out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(".")) continue;
    INFO(line);
    const std::string request = line.substr(0, line.find(' '));
    CHECK((request == ".TH" || request == ".SH" || request == ".SS" || request == ".TP" || request == ".PP" ||
           request == ".br"));
  }
}
