// Counts what a loop over a large state costs beside its kernels: runs the program `bench/programs/loop_state.py`,
// whose 10,000 steps carry 100 MB, or `loop_writes.py`, whose steps write to it, and counts the bytes that the runtime
// copies and the memory that it takes in a second run. What kernels copy, the time shows: 10,000 times 100 MB take
// minutes.
//
//   bench_loop_state ARTIFACT      prints one line of JSON
//
// Calls of memcpy, memmove, malloc and mmap lead here, since the linker wraps them; kernels call none of these.
#include <fmt/format.h>
#include <sys/mman.h>

#include <chrono>
#include <new>

#include "runtime/session.h"

namespace {

struct Counts {
  bool is_on = false;
  uint64_t copied = 0, allocations = 0;
};
Counts counts;

void count_copy(size_t bytes) { counts.copied += counts.is_on ? bytes : 0; }
void count_allocation() { counts.allocations += counts.is_on ? 1 : 0; }

}  // namespace

extern "C" {
void* __real_memcpy(void* to, const void* from, size_t bytes);
void* __real_memmove(void* to, const void* from, size_t bytes);
void* __real_malloc(size_t bytes);
void* __real_mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset);

void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  count_copy(bytes);
  return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, size_t bytes) {
  count_copy(bytes);
  return __real_memmove(to, from, bytes);
}
void* __wrap_malloc(size_t bytes) {
  count_allocation();
  return __real_malloc(bytes);
}
void* __wrap_mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  count_allocation();
  return __real_mmap(address, bytes, protection, flags, file, offset);
}
}

void* operator new(size_t bytes) {
  count_allocation();
  if (void* memory = __real_malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace {

using namespace sunmao;

constexpr int64_t kSteps = 10'000;

DLTensor view(std::vector<float>& data, int64_t& size) {
  return {.data = data.data(), .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &size};
}

[[noreturn]] void give_up(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_loop_state ARTIFACT\n");
    return 2;
  }
  auto model = runtime::Model::load(std::string(argv[1]), {.threads = 1});
  if (!model.ok()) give_up(model.status().to_string());
  auto session = runtime::Session::create(*model);
  if (!session.ok()) give_up(session.status().to_string());
  int64_t large = 25'000'000, small = 16;
  std::vector<float> state(static_cast<size_t>(large), 0.5F), sums(static_cast<size_t>(small)), out = sums;
  const DLTensor inputs[] = {view(state, large), view(sums, small)};
  auto begin = std::chrono::steady_clock::now();
  for (int run = 0; run < 2; ++run) {
    counts.is_on = run == 1;
    begin = std::chrono::steady_clock::now();
    DLTensor outputs[] = {view(out, small)};
    if (const io::Status status = (*session)->run(0, inputs, outputs); !status.ok()) give_up(status.to_string());
  }
  counts.is_on = false;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (out[3] != kSteps) give_up(fmt::format("the result is {}, expected {}", out[3], kSteps));
  fmt::print("{{\"steps\": {}, \"copied_bytes\": {}, \"allocations\": {}, \"us_a_step\": {:.3f}}}\n", kSteps,
             counts.copied, counts.allocations, seconds * 1e6 / kSteps);
}
