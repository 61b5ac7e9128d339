// A trained model in a program of your own: tour_07_embed CHECKPOINT LINE…
#include <iostream>

#include "predict/predict.hpp"

int main(int count, char** words) try {
  const fovea::Predictor predict = fovea::load_predictor(count > 1 ? words[1] : "best.fovea");
  for (int i = 2; i < count; ++i) {
    std::cout << predict(words[i]) << "\n";                   // as people read it
    std::cout << predict(words[i], fovea::As::json) << "\n";  // as programs do
  }
} catch (const fovea::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
