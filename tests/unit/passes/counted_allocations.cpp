#include "tests/unit/passes/counted_allocations.h"

#include <cstdlib>
#include <new>

namespace {
thread_local uint64_t count = 0;
}  // namespace

namespace sunmao {
uint64_t counted_allocations() { return count; }
}  // namespace sunmao

void* operator new(size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
