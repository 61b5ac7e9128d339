#include <benchmark/benchmark.h>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/kernels/choose.hpp"

// The kernels that take most of the time, one by one, at each level that this CPU can run.
//   fovea_kernels_bench --benchmark_filter=additive

namespace fovea::inline FOVEA_REAL {
namespace {

// The sizes of a tile in core/attention.
constexpr std::size_t rows = 64, columns = 64, depth = 64;

/// `n` numbers between `lo` and `hi` on a line of the cache, neither sorted nor equal.
class Numbers {
 public:
  Numbers(std::size_t n, double lo, double hi) : all_(n + tile_lanes) {
    const std::size_t gap = reinterpret_cast<std::uintptr_t>(all_.data()) % 64 / sizeof(Real);
    first_ = all_.data() + (tile_lanes - gap) % tile_lanes;
    for (std::size_t i = 0; i < n; ++i) {
      first_[i] = static_cast<Real>(lo + (hi - lo) * static_cast<double>(i * 7919 % 1009) / 1008);
    }
  }
  Real* data() { return first_; }

 private:
  std::vector<Real> all_;
  Real* first_ = nullptr;
};

void count(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
}

// Items are multiply-adds here, else elements.
void tile_product(benchmark::State& state, const Kernels& k) {
  Numbers a(rows * depth, -1, 1), b(depth * columns, -1, 1), c(rows * columns, 0, 0);
  for (auto _ : state) {
    k.tile_product(rows, columns, depth, 1, a.data(), depth, 1, b.data(), columns, false, c.data(), columns);
    benchmark::ClobberMemory();
  }
  count(state, rows * columns * depth);
}

struct AdditiveTile {
  AdditiveShape shape{rows, columns, depth};
  Numbers ea{rows * depth, 0.2, 5}, eb{depth * columns, 0.2, 5}, v{depth, -1, 1}, s{rows * columns, -1, 1};
};

void additive_scores(benchmark::State& state, const Kernels& k) {
  AdditiveTile t;
  for (auto _ : state) {
    k.additive_scores(t.shape, t.ea.data(), t.eb.data(), t.v.data(), false, nullptr, t.s.data());
    benchmark::ClobberMemory();
  }
  count(state, rows * columns * depth);
}

void additive_grad(benchmark::State& state, const Kernels& k) {
  AdditiveTile t;
  Numbers da(rows * depth * k.additive_lanes, 0, 0), db(depth * columns, 0, 0),
      dv(depth * k.additive_lanes, 0, 0);
  for (auto _ : state) {
    k.additive_grad(t.shape, t.ea.data(), t.eb.data(), t.s.data(), false, nullptr, da.data(), db.data(),
                    dv.data());
    benchmark::ClobberMemory();
  }
  count(state, rows * columns * depth);
}

void online_softmax(benchmark::State& state, const Kernels& k) {
  // Scores become weights in place, and weights are scores as good as any: they stay between 0 and 1.
  Numbers x(rows * columns, -3, 3), shrink(rows, 0, 0);
  std::vector<SoftmaxRow> state_of(rows, SoftmaxRow{-std::numeric_limits<Real>::infinity(), 0, 0});
  for (auto _ : state) {
    k.online_softmax(rows, columns, x.data(), columns, false, state_of.data(), shrink.data());
    benchmark::ClobberMemory();
  }
  count(state, rows * columns);
}

void layer_norm(benchmark::State& state, const Kernels& k) {
  constexpr std::size_t n = 256;
  Numbers x(rows * n, -1, 1), gain(n, 0.5, 1.5), bias(n, -1, 1), y(rows * n, 0, 0), mean(rows, 0, 0),
      rstd(rows, 0, 0);
  for (auto _ : state) {
    k.layer_norm(rows, n, x.data(), gain.data(), bias.data(), Real(1e-5), y.data(), mean.data(), rstd.data());
    benchmark::ClobberMemory();
  }
  count(state, rows * n);
}

void unary(benchmark::State& state, UnaryKernel kernel) {
  constexpr std::size_t n = 4096;
  Numbers x(n, -4, 4), y(n, 0, 0);
  for (auto _ : state) {
    kernel(n, x.data(), y.data());
    benchmark::ClobberMemory();
  }
  count(state, n);
}

void enlist(const Kernels& k) {
  const auto add = [&](const char* name, auto run) {
    benchmark::RegisterBenchmark((std::string(name) + "/" + k.level).c_str(), run);
  };
  const auto with = [&](void (*run)(benchmark::State&, const Kernels&)) {
    return [run, &k](benchmark::State& state) { run(state, k); };
  };
  add("tile_product", with(tile_product));
  add("additive_scores", with(additive_scores));
  add("additive_grad", with(additive_grad));
  add("online_softmax", with(online_softmax));
  add("layer_norm", with(layer_norm));
  add("exp", [&k](benchmark::State& state) { unary(state, k.exp); });
  add("tanh", [&k](benchmark::State& state) { unary(state, k.tanh); });
}

}  // namespace
}  // namespace fovea::inline FOVEA_REAL

int main(int argc, char** argv) {
  for (const fovea::Kernels* level : fovea::supported_kernels()) fovea::enlist(*level);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
