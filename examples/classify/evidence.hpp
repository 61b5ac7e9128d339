#pragma once

#include "core/tensor.hpp"
#include "examples/classify/naive_bayes.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// What a naive Bayes knows, as an input of a model: the evidence of each n-gram for each class.
struct Evidence {
  NaiveBayes counts;
  NaiveBayes::Settings settings{0, 1};  // order 0: there is none

  /// [texts, time · order, classes]: of each text what `NaiveBayes::evidence` says, then zeros. `own` holds
  /// for each text the one whose counts are left out, or is empty: while a model learns from a text, that
  /// text must not have told what its n-grams mean.
  Tensor of(std::span<const std::vector<std::int64_t>> texts, std::size_t time,
            std::span<const Labelled* const> own) const;

  /// For a task's `state`; CheckpointError as of `NaiveBayes::state`.
  template <class Archive>
  void state(Archive& archive) {
    std::uint64_t order = settings.order;
    double smoothing = settings.smoothing;
    archive("bayes_order", order);
    archive("bayes_smoothing", smoothing);
    counts.state(archive);
    if constexpr (Archive::reading) restore(order, smoothing);
  }

  bool operator==(const Evidence&) const = default;

 private:
  void restore(std::uint64_t order, double smoothing);
};

}  // namespace fovea::inline FOVEA_REAL::classify
