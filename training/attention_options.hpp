#pragma once

#include "modules/attention/head_settings.hpp"
#include "modules/attention/settings.hpp"
#include "training/options.hpp"

namespace fovea {

/// The names of `--attention` where heads of a Transformer have it, too.
const std::vector<std::string>& attention_or_head_names();

/// Describes `--attention` and what belongs to it, for any task whose model asks with one query at a time;
/// `scored` says of the score what is scored against what. Where only some models of the task have such an
/// attention, they are the `values` of its setting `other`; `--attention` itself is returned, as it may mean
/// something for more of them.
Option& describe_attention(AttentionSettings& settings, Options& options, const std::string& scored,
                           const std::string& other = {}, const std::vector<std::string>& values = {});

/// Describes what the heads of a sequence's attention to itself are, `--head-scores`, `--window` and so on,
/// for a task whose setting `model` may be a Transformer. Without --head-scores all score by `--attention`.
/// `--rank-length` is left to tasks that do not know it.
void describe_heads(HeadSettings& settings, Options& options);

}  // namespace fovea
