#include "examples/cities/logit.hpp"

#include <algorithm>
#include <cmath>

namespace fovea::inline FOVEA_REAL::cities {
namespace {

using Vector = std::vector<double>;

// The mean of -log P(chosen), its gradient and its second derivatives.
struct Fit {
  double loss = 0;
  Vector gradient;
  std::vector<Vector> curvature;
};

Fit look(const std::vector<Choice>& choices, const Vector& w) {
  const std::size_t d = w.size();
  Fit fit{0, Vector(d), std::vector<Vector>(d, Vector(d))};
  const double share = 1 / static_cast<double>(choices.size());
  for (const Choice& choice : choices) {
    Vector p;
    for (const Vector& option : choice) {
      double s = 0;
      for (std::size_t i = 0; i < d; ++i) s += w[i] * option[i];
      p.push_back(s);
    }
    const double chosen = p[0], top = *std::max_element(p.begin(), p.end());
    double total = 0;
    for (double& s : p) total += s = std::exp(s - top);
    fit.loss += share * (top + std::log(total) - chosen);
    Vector mean(d);
    for (std::size_t j = 0; j < p.size(); ++j) {
      for (std::size_t i = 0; i < d; ++i) mean[i] += p[j] / total * choice[j][i];
    }
    for (std::size_t i = 0; i < d; ++i) fit.gradient[i] += share * (mean[i] - choice[0][i]);
    for (std::size_t j = 0; j < p.size(); ++j) {
      for (std::size_t i = 0; i < d; ++i) {
        const double off = share * p[j] / total * (choice[j][i] - mean[i]);
        for (std::size_t k = 0; k < d; ++k) fit.curvature[i][k] += off * (choice[j][k] - mean[k]);
      }
    }
  }
  return fit;
}

// x with A x = b for a positive definite A. A small ridge keeps what never varies at 0.
Vector solve(std::vector<Vector> a, Vector b) {
  const std::size_t d = b.size();
  for (std::size_t i = 0; i < d; ++i) a[i][i] += 1e-9;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t r = i + 1; r < d; ++r) {
      const double factor = a[r][i] / a[i][i];
      for (std::size_t c = i; c < d; ++c) a[r][c] -= factor * a[i][c];
      b[r] -= factor * b[i];
    }
  }
  for (std::size_t i = d; i-- > 0;) {
    for (std::size_t c = i + 1; c < d; ++c) b[i] -= a[i][c] * b[c];
    b[i] /= a[i][i];
  }
  return b;
}

}  // namespace

std::vector<double> fit_conditional_logit(const std::vector<Choice>& choices) {
  if (choices.empty()) return {};
  Vector w(choices[0].at(0).size());
  Fit now = look(choices, w);
  for (int round = 0; round < 50; ++round) {
    const Vector step = solve(now.curvature, now.gradient);
    double length = 1;
    Fit next;
    Vector tried;
    for (; length > 1e-6; length /= 2) {
      tried = w;
      for (std::size_t i = 0; i < w.size(); ++i) tried[i] -= length * step[i];
      next = look(choices, tried);
      if (next.loss <= now.loss) break;
    }
    if (length <= 1e-6) break;
    const bool settled = now.loss - next.loss < 1e-12;
    w = std::move(tried);
    now = std::move(next);
    if (settled) break;
  }
  return w;
}

}  // namespace fovea::inline FOVEA_REAL::cities
