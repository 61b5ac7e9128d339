#include <cmath>
#include <limits>

#include "autograd/linear_attention.hpp"
#include "autograd/unary.hpp"
#include "autograd/wanted.hpp"
#include "core/attention/packed.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

using streaming::Buffer;
using streaming::padded;

constexpr std::size_t piece = 256;  // elements, so that they stay in the nearest cache

// max(x, 0) + exp(-max(-x, 0)); `y` may be `x`.
void elu_plus_one_of(std::size_t n, const Real* x, Real* y) {
  const Kernels& k = kernels();
  Real exponential[piece];
  for (std::size_t begin = 0; begin < n; begin += piece) {
    const std::size_t count = std::min(piece, n - begin);
    k.scale(count, -1, x + begin, exponential);
    k.relu(count, exponential, exponential);
    k.scale(count, -1, exponential, exponential);
    k.exp(count, exponential, exponential);
    k.relu(count, x + begin, y + begin);
    k.add_into(count, exponential, y + begin);
  }
}

// From the output, which is the derivative where it is below 1. NaN goes on.
void elu_plus_one_grad(std::size_t n, const Real* y, const Real* dy, Real* out) {
  Real derivative[piece];
  for (std::size_t begin = 0; begin < n; begin += piece) {
    const std::size_t count = std::min(piece, n - begin);
    for (std::size_t i = 0; i < count; ++i) derivative[i] = 1 < y[begin + i] ? Real(1) : y[begin + i];
    kernels().mul_or_zero(count, dy + begin, 1, derivative, 1, out + begin);
  }
}

}  // namespace

static const Op elu_plus_one_op{"elu_plus_one"};

Variable elu_plus_one(const Variable& x) {
  return from_output(elu_plus_one_op, x, elu_plus_one_of, elu_plus_one_grad);
}

namespace {

// Heads of all rows: x [rows, heads · width], of which each makes `features` numbers.
struct RandomFeatureSizes {
  std::size_t rows, heads, width, features;

  // Of exponents w · x and |x|².
  Real scale() const { return 1 / std::sqrt(std::sqrt(static_cast<Real>(width))); }
  Real square_scale() const { return scale() * scale() / 2; }
};

constexpr std::size_t rows_at_a_time = 64;

void random_features_of(const RandomFeatureSizes& s, const Tensor& x, const Tensor& directions,
                        Real* features, Real* log_scale) {
  const std::size_t step = padded(s.features);
  Buffer turned(std::max<std::size_t>(1, s.width * step));  // w, [width, features]
  std::fill(turned.begin(), turned.end(), Real(0));
  kernels().transpose(s.features, s.width, directions.data(), s.width, turned.data(), step);
  const Real shrunk = 1 / std::sqrt(static_cast<Real>(s.features));
  parallel_for(s.rows, rows_at_a_time, [&](std::size_t begin, std::size_t end) {
    const std::size_t rows = end - begin, x_step = s.heads * s.width;
    Buffer products(rows * step);
    std::vector<SoftmaxRow> softmax(rows);
    std::vector<Real> shrink(rows);
    for (std::size_t head = 0; head < s.heads; ++head) {
      const Real* from = x.data() + begin * x_step + head * s.width;
      kernels().tile_product(rows, step, s.width, s.scale(), from, x_step, 1, turned.data(), step, false,
                             products.data(), step);
      softmax.assign(rows, {-std::numeric_limits<Real>::infinity(), 0, 0});
      kernels().online_softmax(rows, s.features, products.data(), step, false, softmax.data(), shrink.data());
      for (std::size_t r = 0; r < rows; ++r, from += x_step) {
        const std::size_t number = (begin + r) * s.heads + head;
        kernels().scale(s.features, shrunk, products.data() + r * step, features + number * s.features);
        const double squares = kernels().sum_squares(s.width, from);
        log_scale[number] = softmax[r].max - s.square_scale() * static_cast<Real>(squares);
      }
    }
  });
}

// `features` are the results; a cotangent that is null is zero.
void random_features_grad(const RandomFeatureSizes& s, const Tensor& x, const Tensor& directions,
                          const Tensor& features, const Real* dfeatures, const Real* dlog_scale, Real* dx) {
  const std::size_t step = padded(s.width);
  Buffer packed(std::max<std::size_t>(1, s.features * step));  // w, zeros behind its rows
  for (std::size_t f = 0; f < s.features; ++f) {
    streaming::pack_row(directions.data() + f * s.width, s.width, packed.data() + f * step, step);
  }
  parallel_for(s.rows, rows_at_a_time, [&](std::size_t begin, std::size_t end) {
    Buffer exponents(rows_at_a_time * s.features), sums(rows_at_a_time * step);
    for (std::size_t head = 0; head < s.heads; ++head) {
      for (std::size_t r = begin; r < end; ++r) {
        const std::size_t number = r * s.heads + head;
        const Real* y = features.data() + number * s.features;
        Real* row = exponents.data() + (r - begin) * s.features;
        // Of the largest exponent, which is in the log scale and, taken out, in all features.
        Real largest = dlog_scale ? dlog_scale[number] : Real(0);
        if (dfeatures) {
          const Real* dy = dfeatures + number * s.features;
          kernels().mul_or_zero(s.features, dy, 1, y, 1, row);
          bool any = false;
          largest -= static_cast<Real>(kernels().inner_product(s.features, y, dy, any));
        } else {
          std::fill_n(row, s.features, Real(0));
        }
        if (largest != 0) row[std::max_element(y, y + s.features) - y] += largest;
      }
      kernels().tile_product(end - begin, step, s.features, s.scale(), exponents.data(), s.features, 1,
                             packed.data(), step, false, sums.data(), step);
      for (std::size_t r = begin; r < end; ++r) {
        const std::size_t number = r * s.heads + head;
        Real* to = dx + number * s.width;
        std::copy_n(sums.data() + (r - begin) * step, s.width, to);
        if (!dlog_scale || dlog_scale[number] == 0) continue;
        kernels().add_scaled(s.width, -2 * s.square_scale() * dlog_scale[number], x.data() + number * s.width,
                             to);
      }
    }
  });
}

}  // namespace

static const Op random_features_op{"random_features"};

std::vector<Variable> random_features(const Variable& x, const Value& directions, std::size_t heads) {
  const Op& op = random_features_op;
  check(directions && directions->dimension() == 2 && directions->shape()[0] > 0, op,
        "directions have shape ", directions ? directions->shape() : Shape{},
        "; expected [features, width of a head]");
  const std::size_t features = directions->shape()[0], width = directions->shape()[1];
  check(heads > 0 && x.rank() > 0 && x.length(-1) == heads * width, op, "the input has shape ", x.shape(),
        "; expected its last length to be ", heads, " heads · ", width, " to match directions ",
        directions->shape());
  Shape to_features = x.shape(), to_scales = x.shape();
  to_features.back() = heads * features;
  to_scales.back() = heads;
  const RandomFeatureSizes sizes{volume(to_scales) / heads, heads, width, features};
  auto made = std::make_shared<Tensor>(uninitialized(to_features)),
       scales = std::make_shared<Tensor>(uninitialized(to_scales));
  random_features_of(sizes, x.value(), *directions, made->data(), scales->data());
  const Value result = std::move(made);
  return record_joint(op, {result, std::move(scales)}, std::span(&x, 1),
                      [sizes, x = x.shared(), directions, result](Cotangents dy) {
                        Tensor dx = uninitialized(x->shape());
                        random_features_grad(sizes, *x, *directions, *result, data_of(dy[0]), data_of(dy[1]),
                                             dx.data());
                        return Gradients{share(std::move(dx))};
                      });
}

}  // namespace fovea::inline FOVEA_REAL
