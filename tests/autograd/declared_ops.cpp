#include "autograd/declared_ops.hpp"

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace fovea {

std::set<std::string> declared_ops() {
  std::string headers;
  for (const char* name : {"ops.hpp", "rotation.hpp", "linear_attention.hpp"}) {
    std::ifstream file(std::string(FOVEA_SOURCE_DIR) + "/autograd/" + name);
    std::stringstream text;
    text << file.rdbuf();
    if (!file || text.str().empty()) throw std::runtime_error(std::string(name) + " cannot be read");
    headers += text.str();
  }
  const std::regex declaration("\n(?:Variable|Attended|Recurrence|std::vector<Variable>) ([a-z0-9_]+)\\(");
  std::set<std::string> names;
  for (std::sregex_iterator i(headers.begin(), headers.end(), declaration), end; i != end; ++i)
    names.insert((*i)[1]);
  return names;
}

}  // namespace fovea
