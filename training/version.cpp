#include "training/version.hpp"

#include <fstream>

#include <fmt/format.h>

namespace fovea {

std::string version() { return FOVEA_VERSION; }

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string About::text() const {
  return fmt::format("fovea {} ({}; {}; kernels {}; BLAS {}; {} thread{})", version, precision, cpu, kernels,
                     blas, threads, threads == 1 ? "" : "s");
}

}  // namespace fovea
