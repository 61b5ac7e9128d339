#include "core/parallel.hpp"

#include <memory>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

namespace fovea {
namespace {

// True on a thread while it runs a range: nested calls stay on it, so that they neither wait for
// the pool nor pick up another range of the caller in the middle of their own.
thread_local bool inside = false;

struct Limit {
  std::size_t count = static_cast<std::size_t>(tbb::info::default_concurrency());
  std::unique_ptr<tbb::global_control> control;
};
Limit& limit() {
  static Limit instance;
  return instance;
}

struct Inside {
  bool before = inside;
  Inside() { inside = true; }
  ~Inside() { inside = before; }
};

}  // namespace

void set_threads(std::size_t count) {
  Limit& current = limit();
  current.count = count ? count : static_cast<std::size_t>(tbb::info::default_concurrency());
  current.control.reset();
  current.control =
      std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, current.count);
}

std::size_t threads() { return limit().count; }

void internal::run_chunks(std::size_t chunks, const void* body, void (*call)(const void*, std::size_t)) {
  if (inside || limit().count == 1) {
    for (std::size_t i = 0; i < chunks; ++i) call(body, i);
    return;
  }
  tbb::parallel_for(std::size_t{0}, chunks, std::size_t{1}, [&](std::size_t i) {
    const Inside guard;
    call(body, i);
  });
}

}  // namespace fovea
