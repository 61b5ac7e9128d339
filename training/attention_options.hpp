#pragma once

#include "modules/attention/pattern.hpp"
#include "modules/attention/settings.hpp"
#include "training/options.hpp"

namespace fovea {

/// Describes `--attention` and what belongs to it, for any task whose model asks with one query at a time;
/// `scored` says of the score what is scored against what. Where only some models of the task have such an
/// attention, they are the `values` of its setting `other`; `--attention` itself is returned, as it may mean
/// something for more of them.
Option& describe_attention(AttentionSettings& settings, Options& options, const std::string& scored,
                           const std::string& other = {}, const std::vector<std::string>& values = {});

/// Describes `--window`, `--stride`, `--block`, `--global` and `--pattern-heads`, for a task whose setting
/// `model` may be a Transformer.
void describe_pattern(Pattern& pattern, Options& options);

}  // namespace fovea
