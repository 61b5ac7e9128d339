#include <cstdio>
#include <cstring>
#include <fovea/core/check.hpp>
#include <fovea/predict/predict.hpp>

// consumer CHECKPOINT: a model of `fovea train copy` answers; without one a missing file is an error that
// names it.
int main(int count, char** words) try {
  const fovea::Predictor predict = fovea::load_predictor(count > 1 ? words[1] : "none.fovea");
  std::puts(predict("a b c", fovea::As::json).c_str());
  return predict.task() == "copy" ? 0 : 1;
} catch (const fovea::CheckpointError& error) {
  const bool good = count == 1 && std::strstr(error.what(), "none.fovea");
  std::puts(good ? "ok" : error.what());
  return good ? 0 : 1;
}
