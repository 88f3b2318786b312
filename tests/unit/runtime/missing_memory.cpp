#include "tests/unit/runtime/missing_memory.h"

#include <gmock/gmock.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <new>

// The functions that the linker puts in place of those of the C library, and the latter.
extern "C" {
void* __real_malloc(size_t size);
void __real_free(void* memory);
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __real_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void* at, size_t size);
char* __real_realpath(const char* path, char* resolved);
int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument);

void* __wrap_malloc(size_t size);
void __wrap_free(void* memory);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void* at, size_t size);
char* __wrap_realpath(const char* path, char* resolved);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument);
}

namespace sunmao::runtime::testing {
namespace {

struct Allocations {
  bool are_failing = false;  // those of the Fault that lives
  Fault::Kind kind = Fault::Kind::Alone;
  uint64_t left = 0;  // until one fails; 0: none does any more
  uint64_t failed = 0;
  Held held;
};
thread_local Allocations t_allocations;

bool fails() {
  Allocations& a = t_allocations;
  if (!a.are_failing || a.left == 0 || --a.left > 0) return false;
  if (a.kind == Fault::Kind::WithAllThatFollow) a.left = 1;
  ++a.failed;
  errno = ENOMEM;
  return true;
}

template <class T>
T* counted(T* memory) {
  if (memory) ++t_allocations.held.allocations;
  return memory;
}

void* allocate(size_t size, size_t alignment) {
  if (fails()) throw std::bad_alloc();
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t) ? __real_malloc(size ? size : 1)
                                                        : __real_aligned_alloc(alignment, rounded);
  if (!memory) throw std::bad_alloc();
  return counted(memory);
}

/// Does the work with the allocation `number` failing; returns whether it has so many.
bool fails_at(const Work& work, uint64_t number, Fault::Kind kind) {
  const Held before = held();
  work.begin();
  sunmao_error error = {}, again = {};
  int status = 0;
  {
    const Fault fault(number, kind);
    status = work.call(error);
  }
  const bool has_failed = Fault::count() > 0;
  const bool is_good = status == 0 || std::string(error.code) == work.code;
  if (!is_good) {
    // Files that cannot be written have a code of their own.
    EXPECT_THAT(std::string(error.code), ::testing::AnyOf("E0910", "E0804"));
    EXPECT_STRNE(error.message, "");
    EXPECT_TRUE(has_failed);
    EXPECT_EQ(work.call(again) == 0, *work.code == '\0') << again.message;
    EXPECT_STREQ(again.code, work.code);
  }
  EXPECT_TRUE(!is_good || !has_failed || work.may_go_on) << "E0910 is missing";
  work.end();
  EXPECT_EQ(held().allocations, before.allocations);
  EXPECT_EQ(held().mappings, before.mappings);
  return has_failed;
}

}  // namespace

Fault::Fault(uint64_t number, Kind kind) {
  t_allocations.kind = kind;
  t_allocations.left = number;
  t_allocations.failed = 0;
  t_allocations.are_failing = true;
}
Fault::~Fault() { t_allocations.are_failing = false; }
uint64_t Fault::count() { return t_allocations.failed; }

Held held() { return t_allocations.held; }

Unfailing::Unfailing() : was_armed_(t_allocations.are_failing) { t_allocations.are_failing = false; }
Unfailing::~Unfailing() { t_allocations.are_failing = was_armed_; }

void fail_each(const Work& work) {
  for (const Fault::Kind kind : {Fault::Kind::Alone, Fault::Kind::WithAllThatFollow}) {
    uint64_t number = 1;
    while (!::testing::Test::HasFailure() && fails_at(work, number, kind)) ++number;
    EXPECT_FALSE(::testing::Test::HasFailure()) << "allocation " << number << (kind == Fault::Kind::Alone ? "" : " on");
    EXPECT_GT(number, work.at_least);
  }
}

}  // namespace sunmao::runtime::testing

using sunmao::runtime::testing::allocate;
using sunmao::runtime::testing::counted;
using sunmao::runtime::testing::fails;
using sunmao::runtime::testing::t_allocations;

// All forms that are in use: sanitizers have some of their own that would not call these.
void* operator new(size_t size) { return allocate(size, 1); }
void* operator new[](size_t size) { return allocate(size, 1); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return __wrap_malloc(size); }
void* operator new(size_t size, std::align_val_t alignment) { return allocate(size, static_cast<size_t>(alignment)); }
void operator delete(void* memory) noexcept { __wrap_free(memory); }
void operator delete(void* memory, size_t) noexcept { __wrap_free(memory); }
void operator delete[](void* memory) noexcept { __wrap_free(memory); }
void operator delete[](void* memory, size_t) noexcept { __wrap_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { __wrap_free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { __wrap_free(memory); }

void* __wrap_malloc(size_t size) { return fails() ? nullptr : counted(__real_malloc(size)); }
void __wrap_free(void* memory) {
  if (memory) --t_allocations.held.allocations;
  __real_free(memory);
}
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? nullptr : counted(__real_aligned_alloc(alignment, size));
}
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  if (fails()) return MAP_FAILED;
  void* memory = __real_mmap(at, size, protection, flags, file, offset);
  if (memory != MAP_FAILED && !(flags & MAP_FIXED)) ++t_allocations.held.mappings;
  return memory;
}
int __wrap_munmap(void* at, size_t size) {
  --t_allocations.held.mappings;
  return __real_munmap(at, size);
}
char* __wrap_realpath(const char* path, char* resolved) {
  return fails() ? nullptr : counted(__real_realpath(path, resolved));
}
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
  return fails() ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}
