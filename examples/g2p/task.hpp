#pragma once

#include "examples/sequences/task.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// Says how an English word is pronounced: letters to phones.
class G2pTask : public SequenceTask {
 public:
  static constexpr const char* name = "g2p";
  static constexpr const char* about = "says how a word is pronounced: letters to sounds";

  struct Config : SequenceConfig {
    std::string preset = "quick", data, test;
    bool stress = false;
    void describe(Options& options);
  };
  static TrainConfig defaults();
  /// Settings that belong together; ConfigError for a name that is not known.
  static void use_preset(const std::string& name, TrainConfig& train, Config& config);

  G2pTask(const Config& config, std::uint64_t seed);
  G2pTask(const Config& config, WithoutData);
  static G2pTask tiny(const Config& config);
  std::vector<std::pair<std::string, std::string>> data_checksums() const;

 protected:
  std::string normalised(const std::string& line) const override;

 private:
  G2pTask(const Config& config, Corpus corpus, std::uint64_t seed);
  Config config_;
};

}  // namespace fovea::inline FOVEA_REAL::sequences
