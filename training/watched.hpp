#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fovea {

/// What one head of an attention does in a batch. Only queries that may attend to two keys or more count.
struct HeadFacts {
  std::string path;
  std::size_t head = 0;
  std::uint64_t queries = 0;
  double lowest = 0, highest = 0;  // raw score
  double spread = 0;               // of a query's scores, highest - lowest; mean over queries
  double entropy = 0;              // of the weights, in nats; mean over queries
  double evenness = 0;             // entropy / log(keys): 1 when all weights are equal; mean over queries
  double saturated = 0;            // share of queries with a weight above 0.99
};

/// What a step of training does to a parameter.
struct ParamFacts {
  std::string path;
  bool matrix = false;             // has two axes or more
  double norm = 0;                 // Frobenius norm before the step
  std::optional<double> gradient;  // norm, before clipping; nothing when none arrived
  double change = 0;               // norm of what the step added, over `norm`; 0 where that is 0
};

/// A step of training, looked at closely.
struct Watched {
  std::uint64_t step = 0;  // from 1
  double loss = 0;         // of its first batch
  double mean_loss = 0;    // over the steps since the last evaluation
  std::vector<HeadFacts> heads;
  std::vector<ParamFacts> params;

  double gradient() const;  // norm over all parameters

  /// A line for each head and for each module's parameters.
  std::string table() const;
  /// One line of watch.jsonl.
  std::string json() const;
};

/// Finds what is amiss with a training from one look to the next, and says it in words with the usual cause.
class Findings {
 public:
  /// `untrained`: the first look is at a model that has learned nothing. `first_loss`: at the run's first
  /// look, if an earlier session has made it.
  explicit Findings(bool untrained = true, std::optional<double> first_loss = {})
      : at_first_(untrained), first_loss_(first_loss) {}

  /// What is worth a warning; each kind of it once for each place.
  std::vector<std::string> of(const Watched& now);

 private:
  // How many looks in a row an attention has been like that.
  struct Lasting {
    int uniform = 0, saturated = 0;
    double spread = 0;
  };
  using Tell =
      std::function<void(const std::string& kind, const std::string& place, const std::string& text)>;
  void look_at_loss(const Watched& now, bool first, const Tell& tell);
  void look_at_head(const HeadFacts& head, double mean_loss, bool first, const Tell& tell);

  bool at_first_;
  std::optional<double> first_loss_, lowest_mean_;
  int risen_ = 0;  // looks in a row
  std::map<std::string, Lasting> lasting_;
  std::set<std::string> told_;
};

}  // namespace fovea
