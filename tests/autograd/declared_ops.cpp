#include "autograd/declared_ops.hpp"

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace fovea {

std::set<std::string> declared_ops() {
  std::ifstream file(std::string(FOVEA_SOURCE_DIR) + "/autograd/ops.hpp");
  std::stringstream text;
  text << file.rdbuf();
  const std::string header = text.str();
  if (!file || header.empty()) throw std::runtime_error("autograd/ops.hpp cannot be read");
  const std::regex declaration("\n(?:Variable|Attended|Recurrence|std::vector<Variable>) ([a-z0-9_]+)\\(");
  std::set<std::string> names;
  for (std::sregex_iterator i(header.begin(), header.end(), declaration), end; i != end; ++i)
    names.insert((*i)[1]);
  return names;
}

}  // namespace fovea
