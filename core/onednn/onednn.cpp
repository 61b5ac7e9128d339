#include "core/onednn/onednn.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <dlfcn.h>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <shared_mutex>
#include <vector>

#include "core/check.hpp"
#include "core/memory.hpp"
#include "core/onednn/stand_in.hpp"

namespace fovea::onednn {
namespace {

constexpr const char* file = "libdnnl.so.2";
constexpr std::size_t most_products = 1024;  // that are kept; a training has some dozens of shapes

/// The functions of the library that are called here, looked up by their names.
struct Library {
  void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  std::string missing =
      handle ? "" : "oneDNN is not there (" + std::string(dlerror()) + "; Debian's package libdnnl2)";

  // A pointer to whichever function it is asked to be.
  struct Found {
    void* where;
    template <class F>
    operator F*() const {
      return reinterpret_cast<F*>(where);
    }
  };
  Found look_up(const char* name) const { return {handle ? dlsym(handle, name) : nullptr}; }
  Found find(const char* name) {
    const Found found = look_up(name);
    if (!found.where && missing.empty()) missing = join(file, " has no ", name);
    return found;
  }

  decltype(&dnnl_version) version = find("dnnl_version");
  decltype(&dnnl_get_effective_cpu_isa) isa = find("dnnl_get_effective_cpu_isa");
  decltype(&dnnl_status2str) status_text = find("dnnl_status2str");
  decltype(&dnnl_engine_create) engine_create = find("dnnl_engine_create");
  decltype(&dnnl_stream_create) stream_create = find("dnnl_stream_create");
  decltype(&dnnl_stream_wait) stream_wait = find("dnnl_stream_wait");
  decltype(&dnnl_stream_destroy) stream_destroy = find("dnnl_stream_destroy");
  decltype(&dnnl_memory_desc_init_by_strides) describe = find("dnnl_memory_desc_init_by_strides");
  decltype(&dnnl_memory_desc_get_size) size_of = find("dnnl_memory_desc_get_size");
  decltype(&dnnl_memory_create) memory_create = find("dnnl_memory_create");
  decltype(&dnnl_memory_destroy) memory_destroy = find("dnnl_memory_destroy");
  decltype(&dnnl_matmul_desc_init) matmul = find("dnnl_matmul_desc_init");
  decltype(&dnnl_primitive_attr_create) attr_create = find("dnnl_primitive_attr_create");
  decltype(&dnnl_primitive_attr_destroy) attr_destroy = find("dnnl_primitive_attr_destroy");
  decltype(&dnnl_primitive_attr_set_scratchpad_mode) set_scratchpad =
      find("dnnl_primitive_attr_set_scratchpad_mode");
  decltype(&dnnl_primitive_desc_create) plan = find("dnnl_primitive_desc_create");
  decltype(&dnnl_primitive_desc_destroy) plan_destroy = find("dnnl_primitive_desc_destroy");
  decltype(&dnnl_primitive_desc_query_md) query = find("dnnl_primitive_desc_query_md");
  decltype(&dnnl_primitive_create) create = find("dnnl_primitive_create");
  decltype(&dnnl_primitive_destroy) destroy = find("dnnl_primitive_destroy");
  decltype(&dnnl_primitive_execute) execute = find("dnnl_primitive_execute");
  // Of the OpenMP that the library brings along; null where it was built without.
  using GetThreads = int();
  using SetThreads = void(int);
  GetThreads* get_threads = look_up("omp_get_max_threads");
  SetThreads* set_threads = look_up("omp_set_num_threads");

  dnnl_engine_t engine = nullptr;
  std::string fault = start();

  std::string start() {
    if (!missing.empty()) return missing;
    const unsigned runtime = version()->cpu_runtime;
    const bool alone =
        runtime == DNNL_RUNTIME_SEQ || (runtime == DNNL_RUNTIME_OMP && get_threads && set_threads);
    if (!alone) return join(file, " cannot be held to one thread, so results would depend on their number");
    if (engine_create(&engine, dnnl_cpu, 0) != dnnl_success) return join(file, " does not start");
    return {};
  }
};

// Never unloaded: its threads and ours may outlive what is destroyed at the end of the program.
Library& library() {
  static Library& only = *new Library;
  return only;
}

void must(dnnl_status_t status, const char* what) {
  check<Error>(status == dnnl_success, "oneDNN", what, ": ",
               status == dnnl_success ? "" : library().status_text(status));
}

/// OpenMP's threads on the calling thread: one while this lives. Their number goes into what is made, too.
class OneThread {
 public:
  OneThread() {
    if (!library().set_threads) return;
    before_ = library().get_threads();
    if (before_ != 1) library().set_threads(1);
  }
  ~OneThread() {
    if (library().set_threads && before_ != 1) library().set_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = 1;
};

using Lengths = std::array<dnnl_dim_t, 2>;

dnnl_memory_desc_t matrix(dnnl_data_type_t type, std::size_t rows, std::size_t columns, std::size_t stride,
                          bool transposed = false) {
  const Lengths lengths{static_cast<dnnl_dim_t>(rows), static_cast<dnnl_dim_t>(columns)};
  const auto step = static_cast<dnnl_dim_t>(stride);
  const Lengths strides = transposed ? Lengths{1, step} : Lengths{step, 1};
  dnnl_memory_desc_t result;
  must(library().describe(&result, 2, lengths.data(), type, strides.data()), "describing a matrix");
  return result;
}

/// One product of matrices of fixed lengths and strides. Any number of threads may run it at a time.
class Product {
 public:
  Product(Kind kind, std::size_t m, std::size_t n, std::size_t k, const Factor& a, const Factor& b,
          std::size_t c_stride)
      : a_(matrix(type(kind), m, k, a.stride, a.transposed)),
        b_(matrix(type(kind), k, n, b.stride, b.transposed)),
        c_(matrix(dnnl_f32, m, n, c_stride)) {
    Library& dnnl = library();
    dnnl_matmul_desc_t wanted;
    must(dnnl.matmul(&wanted, &a_, &b_, nullptr, &c_), "describing a product");
    dnnl_primitive_attr_t settings = nullptr;
    dnnl_primitive_desc_t plan = nullptr;
    must(dnnl.attr_create(&settings), "making settings");
    dnnl_status_t status = dnnl.set_scratchpad(settings, dnnl_scratchpad_mode_user);
    if (status == dnnl_success) status = dnnl.plan(&plan, &wanted, settings, dnnl.engine, nullptr);
    dnnl.attr_destroy(settings);
    must(status, "planning a product");
    scratch_ = *dnnl.query(plan, dnnl_query_scratchpad_md, 0);
    status = dnnl.create(&primitive_, plan);
    dnnl.plan_destroy(plan);
    must(status, "making a product");
  }
  ~Product() { library().destroy(primitive_); }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void operator()(const void* a, const void* b, float* c) const {
    Library& dnnl = library();
    struct Scratch {
      std::size_t bytes;
      void* block = memory::take(bytes);
      ~Scratch() { memory::give(block, bytes); }
    } scratch{dnnl.size_of(&scratch_)};
    struct Held {
      dnnl_memory_t memory = nullptr;
      ~Held() { library().memory_destroy(memory); }
    };
    std::array<Held, 4> held;
    const std::array<const dnnl_memory_desc_t*, 4> kinds{&a_, &b_, &c_, &scratch_};
    const std::array<void*, 4> where{const_cast<void*>(a), const_cast<void*>(b), c, scratch.block};
    constexpr std::array<int, 4> roles{DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD};
    std::array<dnnl_exec_arg_t, 4> arguments{};
    for (std::size_t i = 0; i < held.size(); ++i) {
      must(dnnl.memory_create(&held[i].memory, kinds[i], dnnl.engine, where[i]), "seeing a matrix");
      arguments[i] = {roles[i], held[i].memory};
    }
    struct Stream {
      dnnl_stream_t stream = nullptr;
      ~Stream() { library().stream_destroy(stream); }
    } stream;
    must(dnnl.stream_create(&stream.stream, dnnl.engine, dnnl_stream_default_flags), "making a stream");
    must(dnnl.execute(primitive_, stream.stream, static_cast<int>(arguments.size()), arguments.data()),
         "multiplying");
    must(dnnl.stream_wait(stream.stream), "multiplying");
  }

 private:
  static dnnl_data_type_t type(Kind kind) { return kind == Kind::bf16 ? dnnl_bf16 : dnnl_f32; }

  dnnl_memory_desc_t a_, b_, c_, scratch_;
  dnnl_primitive_t primitive_ = nullptr;
};

using Key = std::array<std::size_t, 9>;

/// The product for these lengths; made once, for that takes a thousand times as long as a small one.
std::shared_ptr<const Product> product_for(Kind kind, std::size_t m, std::size_t n, std::size_t k,
                                           const Factor& a, const Factor& b, std::size_t c_stride) {
  static std::shared_mutex& mutex = *new std::shared_mutex;
  static auto& made = *new std::map<Key, std::shared_ptr<const Product>>;
  const Key key{kind == Kind::bf16, m, n, k, a.stride, a.transposed, b.stride, b.transposed, c_stride};
  {
    const std::shared_lock lock(mutex);
    const auto found = made.find(key);
    if (found != made.end()) return found->second;
  }
  auto fresh = std::make_shared<const Product>(kind, m, n, k, a, b, c_stride);
  const std::unique_lock lock(mutex);
  if (made.size() >= most_products) made.clear();
  return made.emplace(key, std::move(fresh)).first->second;
}

// Small whole numbers are exact in bf16, and so are their sums in f32. Sizes are odd, and what C held is NaN.
bool self_test() {
  constexpr std::array<std::array<std::size_t, 3>, 4> sizes{
      {{1, 1, 1}, {17, 13, 37}, {3, 65, 7}, {67, 49, 133}}};
  const auto bits = [](int x) {  // the bf16 of a small whole number
    const auto number = static_cast<float>(x);
    std::uint32_t all;
    __builtin_memcpy(&all, &number, sizeof all);
    return static_cast<std::uint16_t>(all >> 16);
  };
  const auto in_a = [](std::size_t i) { return static_cast<int>(i * 7 % 11) - 5; };
  const auto in_b = [](std::size_t i) { return static_cast<int>(i * 5 % 13) - 6; };
  for (const auto& [m, n, k] : sizes) {
    std::vector<std::uint16_t> a(m * k), b(k * n);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = bits(in_a(i));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = bits(in_b(i));
    for (int transposes = 0; transposes < 4; ++transposes) {
      const bool ta = transposes & 1, tb = transposes & 2;
      std::vector<float> c(m * n, std::numeric_limits<float>::quiet_NaN());
      multiply(Kind::bf16, m, n, k, {a.data(), ta ? m : k, ta}, {b.data(), tb ? k : n, tb}, c.data(), n);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          int right = 0;
          for (std::size_t p = 0; p < k; ++p)
            right += in_a(ta ? p * m + i : i * k + p) * in_b(tb ? j * k + p : p * n + j);
          if (c[i * n + j] != static_cast<float>(right)) return false;
        }
      }
    }
  }
  return true;
}

std::atomic<bool> stands_in = false;

std::vector<float> widened(const Factor& x, std::size_t rows, std::size_t columns) {
  const auto* from = static_cast<const std::uint16_t*>(x.data);
  std::vector<float> wide((rows - 1) * x.stride + columns);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const std::uint32_t bits = std::uint32_t{from[i]} << 16;
    __builtin_memcpy(&wide[i], &bits, sizeof bits);
  }
  return wide;
}

bool has_amx() { return (library().isa() & dnnl_cpu_isa_avx512_core_amx) == dnnl_cpu_isa_avx512_core_amx; }
bool has_bf16() { return (library().isa() & dnnl_cpu_isa_avx512_core_bf16) == dnnl_cpu_isa_avx512_core_bf16; }

// Of the instructions that lead to bf16, those that are there.
std::string fault_of_cpu() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bf16")) return {};
  const char* has = __builtin_cpu_supports("avx512f") ? "AVX-512, but not its bf16 part"
                    : __builtin_cpu_supports("avx2")  ? "AVX2 and no AVX-512"
                                                      : "neither AVX2 nor AVX-512";
#else
  const char* has = "none of x86's";
#endif
  return join(
      "this CPU cannot multiply bf16: that takes AVX512_BF16, as Intel's Xeons have from Cooper Lake and "
      "AMD's "
      "EPYCs from Zen 4 on, or AMX (Sapphire Rapids); this one has ",
      has);
}

std::string find_fault() {
  if (const std::string fault = fault_of_cpu(); !fault.empty()) return fault;
  if (!fault_of_library().empty()) return fault_of_library();
  if (!has_bf16())
    return "oneDNN does not use this CPU's instructions for bf16; is ONEDNN_MAX_CPU_ISA or DNNL_MAX_CPU_ISA "
           "set?";
  try {
    if (self_test()) return {};
  } catch (const Error& error) {
    return error.what();
  }
  return join("products of bf16 by ", file, " are wrong on this CPU");
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
// The runtime of gcc before 14 looks for a header, which glibc dropped in 2.25, before the thread-local
// variables of a library that was opened, if they lie 16 bytes into a page: so may oneDNN's, and then the
// search for leaks breaks off. What it leaves out so are pointers held by nothing but such variables. Weak: a
// program's own settings win.
extern "C" __attribute__((weak)) const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }
#endif

const std::string& fault() {
  static const std::string text = find_fault();
  return stands_in ? fault_of_library() : text;
}

const std::string& fault_of_library() { return library().fault; }

void multiply(Kind kind, std::size_t m, std::size_t n, std::size_t k, Factor a, Factor b, float* c,
              std::size_t c_stride) {
  if (kind == Kind::bf16 && stands_in) {
    const std::vector<float> wide_a = widened(a, a.transposed ? k : m, a.transposed ? m : k);
    const std::vector<float> wide_b = widened(b, b.transposed ? n : k, b.transposed ? k : n);
    return multiply(Kind::f32, m, n, k, {wide_a.data(), a.stride, a.transposed},
                    {wide_b.data(), b.stride, b.transposed}, c, c_stride);
  }
  check<Error>(library().fault.empty(), "oneDNN", library().fault);
  const OneThread one;
  (*product_for(kind, m, n, k, a, b, c_stride))(a.data, b.data, c);
}

StandIn::StandIn() { stands_in = true; }
StandIn::~StandIn() { stands_in = false; }

std::string description() {
  const dnnl_version_t* version = library().version();
  return join(version->major, ".", version->minor, ".", version->patch, ", ",
              has_amx() ? "AMX" : "AVX512_BF16");
}

}  // namespace fovea::onednn
