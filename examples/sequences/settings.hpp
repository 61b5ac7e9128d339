#pragma once

#include <cstdint>
#include <string>

#include "core/real.hpp"
#include "modules/seq2seq/settings.hpp"
#include "training/options.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// The settings of a sequence model, of how it learns and of how it is asked.
struct SequenceConfig {
  std::string model = "lstm", activation = "relu";
  AttentionSettings attention;
  std::uint64_t width = 128, layers = 1, heads = 4, inner = 512;
  HeadSettings self_attention{.score = ""};
  std::string positions = "sinusoidal";
  double dropout = 0.1;
  bool tied = false;
  bool recompute = false;

  double label_smoothing = 0.1;
  std::string teacher_forcing = "constant";  // how the part of right inputs falls, from 1 …
  double teacher_floor = 1;                  // … to this,
  std::uint64_t teacher_steps = 10000;       // in so many steps
  std::string guide = "none";                // `none` or `diagonal:N`, for the first N steps

  std::uint64_t beam = 5, n_best = 1;
  double length_power = 1;
  bool alignment = false;

  void describe(Options& options);
  /// Steps in which attention is led along the diagonal. ConfigError for what is neither `none` nor
  /// `diagonal:N`.
  std::uint64_t guided_steps() const;
  /// The probability that an input is the model's own guess, at a step of training.
  double own_inputs(std::uint64_t step) const;
  /// To a model of a few thousand numbers whose gradients can be compared with differences: without kinks.
  void shrink();
  Seq2SeqSettings model_settings(std::size_t source_vocabulary, std::size_t target_vocabulary) const;
};

}  // namespace fovea::inline FOVEA_REAL::sequences
