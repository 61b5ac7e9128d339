#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "report/picture.hpp"
#include "training/sink.hpp"

namespace fovea {

/// Asks the model, as it is now, for pictures of a few items: the same ones each time.
using AskPictures = std::function<std::vector<report::Picture>()>;

/// Writes what TensorBoard shows of a run to a new event file in `folder`: the columns of its tables and the
/// gradients' norms as scalars, parameters as histograms, and after each evaluation the heat maps among the
/// `pictures` as images (cli/tensorboard/images.hpp: at most eight heads of an item). A task whose first
/// pictures hold no heat map is not asked again. What an earlier file there says of steps after `step` is
/// taken back, as that training is done again; with step 0 earlier files are removed. ConfigError when the
/// program was built without Protobuf or libpng, Error when the file cannot be written.
std::unique_ptr<RunSink> tensorboard_sink(const std::filesystem::path& folder, std::uint64_t step,
                                          AskPictures pictures);

}  // namespace fovea
