#include "examples/classify/measures.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL::classify {
namespace {

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

}  // namespace

void Confusion::add(std::size_t truth, std::size_t guess) {
  check<Error>((truth < classes_ || truth == no_class) && guess < classes_, "confusion", "classes ", truth,
               " and ", guess, " of ", classes_);
  ++(truth == no_class ? strange_[guess] : counts_[truth * classes_ + guess]);
}

std::size_t Confusion::size(std::size_t truth) const {
  std::size_t sum = 0;
  for (std::size_t guess = 0; guess < classes_; ++guess) sum += at(truth, guess);
  return sum;
}

std::size_t Confusion::guesses(std::size_t label) const {
  std::size_t sum = strange_[label];
  for (std::size_t truth = 0; truth < classes_; ++truth) sum += at(truth, label);
  return sum;
}

double Confusion::accuracy() const {
  double right = 0, all = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    right += static_cast<double>(at(c, c));
    all += static_cast<double>(guesses(c));
  }
  return percent(right, all);
}

double Confusion::f1(std::size_t label) const {
  return percent(2 * static_cast<double>(at(label, label)),
                 static_cast<double>(size(label) + guesses(label)));
}

double Confusion::macro_f1() const {
  double sum = 0, count = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    if (size(c) + guesses(c) == 0) continue;
    sum += f1(c);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::vector<std::size_t> Confusion::largest(std::size_t most) const {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < classes_; ++c)
    if (size(c) > 0) order.push_back(c);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  if (order.size() > most) order.resize(most);
  return order;
}

}  // namespace fovea::inline FOVEA_REAL::classify
