#pragma once

#include <filesystem>
#include <memory>

#include "training/sink.hpp"

namespace fovea {

/// Writes what TensorBoard shows of a run to a new event file in `folder`: the columns of its tables and the
/// gradients' norms as scalars, parameters as histograms. What an earlier file there says of steps after
/// `step` is taken back, as that training is done again; with step 0 earlier files are removed. ConfigError
/// when the program was built without Protobuf, Error when the file cannot be written.
std::unique_ptr<RunSink> tensorboard_sink(const std::filesystem::path& folder, std::uint64_t step);

}  // namespace fovea
