#include <algorithm>
#include <numeric>

#include "core/move.hpp"
#include "core/oracle.hpp"

using namespace fovea;
using namespace fovea::numbers;  // functions of plain tensors

namespace {

using Ids = std::vector<std::size_t>;

Tensor counted(const Shape& shape) {
  Tensor x = uninitialized(shape);
  std::iota(x.data(), x.data() + x.size(), Real(0));
  return x;
}

/// Element `flat` of the permuted tensor, found one index at a time.
Real permuted(const Tensor& x, const Ids& axes, std::size_t flat) {
  std::vector<std::size_t> index(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::size_t length = x.shape()[axes[i]];
    index[axes[i]] = flat % length;
    flat /= length;
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < index.size(); ++i) at = at * x.shape()[i] + index[i];
  return x.data()[at];
}

}  // namespace

TEST_CASE("permute in every order", "[core]") {
  for (const Shape& shape :
       {Shape{}, Shape{4}, Shape{3, 5}, Shape{17, 33}, Shape{16, 32}, Shape{1, 7}, Shape{2, 3, 4},
        Shape{2, 1, 4}, Shape{2, 3, 4, 5}, Shape{5, 0, 2}, Shape{300, 257}, Shape{3, 70, 5, 90}}) {
    const Tensor x = counted(shape);
    Ids axes(shape.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    do {
      const Tensor out = permute(x, axes);
      REQUIRE(out.dimension() == axes.size());
      for (std::size_t i = 0; i < axes.size(); ++i) REQUIRE(out.shape()[i] == shape[axes[i]]);
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (out.data()[i] != permuted(x, axes, i)) FAIL(to_string(shape) << " at " << i);
      }
      oracle::same_for_any_threads([&] { return permute(x, axes); });
    } while (std::next_permutation(axes.begin(), axes.end()));
  }
  CHECK(transpose_last_two(counted({2, 3, 4})).shape() == Shape{2, 4, 3});
  CHECK(same_bits(transpose_last_two(tensor({2, 2}, {1, 2, 3, 4})), tensor({2, 2}, {1, 3, 2, 4})));
}

TEST_CASE("transpose kernels leave the gaps of a stride alone", "[core]") {
  oracle::at_each_level([](const Kernels& k) {
    for (std::size_t rows : {0u, 1u, 7u, 8u, 16u, 33u}) {
      for (std::size_t columns : {0u, 1u, 8u, 15u, 16u, 40u}) {
        const oracle::Reals x = oracle::random(rows * (columns + 2), 1);
        oracle::Reals out(columns * (rows + 3), Real(77));
        k.transpose(rows, columns, x.data(), columns + 2, out.data(), rows + 3);
        for (std::size_t j = 0; j < columns; ++j) {
          for (std::size_t i = 0; i < rows + 3; ++i) {
            REQUIRE(out[j * (rows + 3) + i] == (i < rows ? x[i * (columns + 2) + j] : Real(77)));
          }
        }
      }
    }
  });
}

TEST_CASE("slices, and putting them together again", "[core]") {
  for (const Shape& shape : {Shape{6}, Shape{4, 5}, Shape{2, 6, 3}, Shape{2, 0, 3}, Shape{200, 6, 50}}) {
    const Tensor x = counted(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::size_t n = shape[axis], first = n / 3, second = n / 2;
      const Tensor a = slice(x, axis, 0, first), b = slice(x, axis, first, second),
                   c = slice(x, axis, second, n);
      REQUIRE(a.shape()[axis] + b.shape()[axis] + c.shape()[axis] == n);
      const Tensor* parts[] = {&a, &b, &c};
      CHECK(same_bits(concat(parts, axis), x));
      Tensor into = zeros(shape);
      place_slice(into, axis, first, b);
      place_slice(into, axis, second, c);
      CHECK(same_bits(slice(into, axis, first, n), slice(x, axis, first, n)));
      CHECK(same_bits(slice(into, axis, 0, first), zeros(a.shape())));
    }
  }
  CHECK(same_bits(slice(tensor({2, 3}, {0, 1, 2, 3, 4, 5}), 1, 1, 3), tensor({2, 2}, {1, 2, 4, 5})));
  CHECK(same_bits(reshape(counted({2, 6}), {3, 4}), counted({3, 4})));
}

TEST_CASE("rows of a table", "[core]") {
  const Tensor table = tensor({3, 2}, {0, 1, 10, 11, 20, 21});
  const Ids ids{2, 0, 2};
  CHECK(same_bits(gather_rows(table, ids), tensor({3, 2}, {20, 21, 0, 1, 20, 21})));
  CHECK(gather_rows(table, Ids{}).shape() == Shape{0, 2});
  Tensor into = zeros({3, 2});
  scatter_add_rows(into, ids, tensor({3, 2}, {1, 2, 3, 4, 5, 6}));
  CHECK(same_bits(into, tensor({3, 2}, {3, 4, 0, 0, 6, 8})));

  Rng rng(1);
  Ids many(3000);
  for (std::size_t& id : many) id = rng.below(10);
  const Tensor rows = oracle::random_tensor({3000, 130}, 2);
  oracle::same_for_any_threads([&] {
    Tensor sums = zeros({10, 130});
    scatter_add_rows(sums, many, rows);
    return sums;
  });
  std::vector<double> want(1300, 0.0);
  for (std::size_t i = 0; i < many.size(); ++i) {
    for (std::size_t j = 0; j < 130; ++j) want[many[i] * 130 + j] += rows.data()[i * 130 + j];
  }
  Tensor sums = zeros({10, 130});
  scatter_add_rows(sums, many, rows);
  oracle::check_values(sums, want, 0, 1e5 * oracle::epsilon / 100);
}

TEST_CASE("bags of rows", "[core]") {
  const Tensor table = tensor({3, 2}, {0, 1, 10, 11, 20, 21});
  const Ids ids{2, 0, 2, 1}, offsets{0, 3, 3, 4};
  CHECK(same_bits(bag_sum(table, ids, offsets), tensor({3, 2}, {40, 43, 0, 0, 10, 11})));
  oracle::check_values(bag_mean(table, ids, offsets), {40 / 3.0, 43 / 3.0, 0, 0, 10, 11}, 1, 0);
  CHECK(bag_sum(table, Ids{}, Ids{0}).shape() == Shape{0, 2});

  const Tensor g = tensor({3, 2}, {3, 6, 100, 100, 7, 8});
  Tensor into = zeros({3, 2});
  scatter_bag_sum(into, ids, offsets, g);
  CHECK(same_bits(into, tensor({3, 2}, {3, 6, 7, 8, 6, 12})));
  into = zeros({3, 2});
  scatter_bag_mean(into, ids, offsets, g);
  oracle::check_values(into, {1, 2, 7, 8, 2, 4}, 4, 0);

  Rng rng(1);
  Ids many(5000), bounds{0};
  for (std::size_t& id : many) id = rng.below(40);
  while (bounds.back() < many.size()) bounds.push_back(std::min(many.size(), bounds.back() + rng.below(30)));
  const Tensor wide = oracle::random_tensor({40, 70}, 3);
  oracle::same_for_any_threads([&] { return bag_mean(wide, many, bounds); });
  const Tensor bags = oracle::random_tensor({bounds.size() - 1, 70}, 4);
  oracle::same_for_any_threads([&] {
    Tensor sums = zeros({40, 70});
    scatter_bag_mean(sums, many, bounds, bags);
    return sums;
  });
}
