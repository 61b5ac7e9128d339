#include <limits>

#include "compare.hpp"

using namespace fovea;

TEST_CASE("close is close, NaN equals NaN, and an infinity only itself", "[core]") {
  const Real inf = std::numeric_limits<Real>::infinity(), odd = std::numeric_limits<Real>::quiet_NaN();
  const auto close = [](Real actual, Real expected) {
    return close_to(scalar(expected), 0.1).match(scalar(actual));
  };
  CHECK(close(1, Real(1.05)));
  CHECK(close(105, 100));
  CHECK_FALSE(close(1, Real(1.2)));
  CHECK(close(odd, odd));
  CHECK_FALSE(close(1, odd));
  CHECK_FALSE(close(odd, 1));
  CHECK(close(inf, inf));
  CHECK(close(-inf, -inf));
  CHECK_FALSE(close(-inf, inf));
  CHECK_FALSE(close(1, inf));
  CHECK_FALSE(close(inf, 1));
  CHECK_FALSE(close_to(zeros({2})).match(zeros({1, 2})));
}
