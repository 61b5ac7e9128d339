#include "autograd/op_rows.hpp"

namespace fovea::inline FOVEA_REAL {

namespace {

const CrossEntropyOptions padded{.padding = -1};
const CrossEntropyOptions smoothed{.padding = 0, .smoothing = Real(0.2), .class_weights = {1, 2, Real(0.5)}};

}  // namespace

std::vector<OpRow> class_loss_rows() {
  return {
      OpRow{"nll",
            {{{random({3, 5})},
              [](In in) {
                return nll(in[0], Ids({4, 0, 2}));
              }},
             {{random({2, 2, 3})},
              [](In in) {
                return nll(in[0], Ids({2, 2}, {0, 9, 2, 2}), 9);
              }}},
            {{[] {
                return nll(t({2, 2}, {-1, -2, -3, -4}), Ids({1, 0}));
              },
              tensor({2}, {2, 3})}},
            {{[] {
                nll(random({3, 5}), Ids({0, 1}));
              },
              {"[nll]", "[2]", "[3]", "[3, 5]"}},
             {[] {
                nll(random({2, 5}), Ids({0, -1}));
              },
              {"[nll]", "id -1", "[1]"}}}},
      OpRow{"cross_entropy",
            {{{random({3, 5})},
              [](In in) {
                return cross_entropy(in[0], Ids({4, 0, 2}));
              }},
             {{random({2, 2, 3})},
              [](In in) {
                return cross_entropy(in[0], Ids({2, 2}, {0, 1, -1, 2}), padded);
              }},
             {{random({4, 3})},
              [](In in) {
                return cross_entropy(in[0], Ids({1, 0, 2, 1}), smoothed);
              }},
             {{random({4, 3})},
              [](In in) {
                return cross_entropy(in[0], Ids({1, 0, 2, 1}), {.smoothing = Real(0.3)});
              }}},
            {{[] {
                return cross_entropy(t({2, 2}, {0, 0, Real(1000), 0}), Ids({1, 0}));
              },
              tensor({2}, {Real(0.6931471805599453), 0})},
             {[] {
                return cross_entropy(t({2, 2}, {0, 0, Real(NAN), 0}), Ids({1, -1}), padded);
              },
              tensor({2}, {Real(0.6931471805599453), 0})},
             // p = (1/4, 3/4), q = (0.9, 0.1) at the first class; class weights double the second part.
             {[] {
                return cross_entropy(t({1, 2}, {0, Real(1.0986122886681098)}), Ids({0}),
                                     {.smoothing = Real(0.2), .class_weights = {1, 2}});
              },
              tensor({1}, {Real(0.9 * 1.3862943611198906 + 0.2 * 0.2876820724517809)})}},
            {{[] {
                cross_entropy(random({3, 5}), Ids({0, 1}));
              },
              {"[cross_entropy]", "[2]", "[3]", "[3, 5]"}},
             {[] {
                cross_entropy(random({2, 5}), Ids({0, 5}));
              },
              {"[cross_entropy]", "id 5", "[1]"}},
             {[] {
                cross_entropy(random({2, 5}), Ids({0, -2}), padded);
              },
              {"[cross_entropy]", "id -2"}},
             {[] {
                cross_entropy(random({1, 5}), Ids({0}), {.smoothing = 2});
              },
              {"[cross_entropy]", "smoothing"}},
             {[] {
                cross_entropy(random({1, 5}), Ids({0}), smoothed);
              },
              {"3 class weights for 5 classes"}}}},
  };
}

namespace {

// A loss of two tensors of equal shapes.
std::vector<OpSample> pair_samples(std::function<Variable(const Variable&, const Variable&)> loss) {
  std::vector<OpSample> samples;
  for (const Shape& shape : {Shape{3, 5}, Shape{}, Shape{0, 5}}) {
    samples.push_back({{random(shape), random(shape, 2)}, [loss](In in) { return loss(in[0], in[1]); }});
  }
  return samples;
}

std::vector<OpMisuse> unequal_shapes(std::function<Variable(const Variable&, const Variable&)> loss,
                                     const std::string& name) {
  return {{[loss] { loss(random({4, 1}), random({4})); }, {"[" + name + "]", "[4, 1]", "[4]"}}};
}

}  // namespace

std::vector<OpRow> regression_rows() {
  const auto huber_half = [](const Variable& p, const Variable& y) { return huber(p, y, Real(0.5)); };
  const auto pinball_low = [](const Variable& p, const Variable& y) { return pinball(p, y, Real(0.1)); };
  std::vector<OpMisuse> bad_huber = unequal_shapes(huber_half, "huber"),
                        bad_pinball = unequal_shapes(pinball_low, "pinball");
  bad_huber.push_back({[] { huber(random({2}), random({2}), 0); }, {"[huber]", "delta", "positive"}});
  bad_pinball.push_back({[] { pinball(random({2}), random({2}), 1); }, {"[pinball]", "quantile is 1"}});
  return {
      OpRow{"mse",
            pair_samples(mse),
            {{[] {
                return mse(t({2}, {1, 2}), t({2}, {3, 1}));
              },
              scalar(2.5)},
             {[] { return mse(random({0}), random({0})); }, scalar(0)}},
            unequal_shapes(mse, "mse")},
      OpRow{"mae",
            pair_samples(mae),
            {{[] {
                return mae(t({2}, {1, 2}), t({2}, {3, 1}));
              },
              scalar(1.5)}},
            unequal_shapes(mae, "mae")},
      OpRow{"huber",
            pair_samples(huber_half),
            {{[] {
                return huber(t({2}, {1, 2}), t({2}, {4, Real(1.5)}), 1);
              },
              scalar(Real((2.5 + 0.125) / 2))}},
            bad_huber},
      OpRow{"pinball",
            pair_samples(pinball_low),
            {{[] {
                return pinball(t({2}, {1, 2}), t({2}, {3, 1}), Real(0.1));
              },
              scalar(Real((0.2 + 0.9) / 2))}},
            bad_pinball},
      OpRow{"binary_cross_entropy",
            pair_samples(binary_cross_entropy),
            {{[] {
                return binary_cross_entropy(t({3}, {0, 1000, -1000}), t({3}, {1, 1, 0}));
              },
              scalar(Real(0.6931471805599453 / 3))},
             {[] { return binary_cross_entropy(t({1}, {-1000}), t({1}, {1})); }, scalar(1000)}},
            unequal_shapes(binary_cross_entropy, "binary_cross_entropy")},
  };
}

}  // namespace fovea::inline FOVEA_REAL
