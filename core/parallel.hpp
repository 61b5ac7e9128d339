#pragma once

#include <cstddef>
#include <type_traits>

namespace fovea {

/// Number of threads that work may be spread over; 0 asks for one per core.
void set_threads(std::size_t count);
std::size_t threads();

namespace internal {
void run_chunks(std::size_t chunks, const void* body, void (*call)(const void*, std::size_t));
}

/// Calls `body(begin, end)` for consecutive ranges that cover `0 … n`, each `grain` long (the last may
/// be shorter), on the threads at hand. The ranges depend on `n` and `grain` alone, so a result that is
/// put together from per-range parts in order has the same bits for any number of threads.
/// A call from inside `body` runs on the calling thread.
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, const Body& body) {
  if (n == 0) return;
  if (n <= grain) return body(std::size_t{0}, n);
  struct Ranges {
    std::size_t n, grain;
    const Body& body;
  } ranges{n, grain, body};
  internal::run_chunks((n + grain - 1) / grain, &ranges, [](const void* data, std::size_t i) {
    const auto& r = *static_cast<const Ranges*>(data);
    const std::size_t begin = i * r.grain;
    r.body(begin, begin + r.grain < r.n ? begin + r.grain : r.n);
  });
}

/// Rows per range so that a range holds about `elements` numbers: enough to pay for handing it over.
constexpr std::size_t rows_per_range(std::size_t row_length, std::size_t elements = 16384) {
  const std::size_t rows = elements / (row_length ? row_length : 1);
  return rows ? rows : 1;
}

}  // namespace fovea
