// Loads and runs the tiny model of the runtime's tests while allocations fail: the first, the second, and so on, each
// alone, then each together with all that follow. A call that fails says E0910 and succeeds when it is made again. The
// library is loaded as a plug-in is, and each pass is a new thread: what a thread holds for exceptions must be there
// before memory is missing. Run in the root of the repository.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sunmao/runtime.h"

static int failures = 0;

#define EXPECT(condition)                                                                           \
  do {                                                                                              \
    if (!(condition)) {                                                                             \
      fprintf(stderr, "%s:%d: allocation %ld: %s\n", __FILE__, __LINE__, fault_number, #condition); \
      ++failures;                                                                                   \
    }                                                                                               \
  } while (0)

// The allocations of the thread that runs a pass; `fault_left` counts down to the one that fails.
static long fault_number = 0;
static _Thread_local bool is_armed = false;
static _Thread_local bool fault_lasts = false;
static _Thread_local long fault_left = 0;
static _Thread_local long faults = 0;

static bool fails(void) {
  if (!is_armed || fault_left == 0 || --fault_left > 0) return false;
  if (fault_lasts) fault_left = 1;
  ++faults;
  errno = ENOMEM;
  return true;
}

// The C library's own functions, which those below stand before, in the runtime library too.
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

#pragma GCC visibility push(default)
void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void* realloc(void* memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
void* aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  if (fails()) return MAP_FAILED;
  return (void*)(uintptr_t)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

typedef int create_thread(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static create_thread* real_pthread_create;
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
  return fails() ? EAGAIN : real_pthread_create(thread, attributes, body, argument);
}
#pragma GCC visibility pop

// clang-format off
#define FUNCTIONS(of)                                                                                       \
  of(load) of(load_memory) of(model_free) of(session_create) of(session_free) of(run) of(run_managed)       \
  of(profile_start) of(profile_stop) of(profile_get_info) of(model_disassemble) of(string_free)             \
  of(function_memory) of(set_threads) of(get_threads) of(model_write_weights)
// clang-format on

#define MEMBER(name) __typeof__(&sunmao_##name) name;
static struct {
  FUNCTIONS(MEMBER)
} api;

static void open_library(void) {
  void* library = dlopen(getenv("SUNMAO_RUNTIME_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "no runtime library: %s\n", dlerror());
    exit(1);
  }
#define FIND(name) *(void**)(&api.name) = dlsym(library, "sunmao_" #name);
  FUNCTIONS(FIND)
  *(void**)(&real_pthread_create) = dlsym(RTLD_NEXT, "pthread_create");
}

static sunmao_error error;

static bool is_about_memory(void) {
  return (strcmp(error.code, "E0910") == 0 || strcmp(error.code, "E0804") == 0) && error.message[0] != '\0';
}

// Makes a call; one that fails is made again when memory is there.
#define CALL(call)               \
  do {                           \
    if ((call) != 0) {           \
      is_armed = false;          \
      EXPECT(is_about_memory()); \
      EXPECT(faults > 0);        \
      EXPECT((call) == 0);       \
    }                            \
  } while (0)

static DLTensor tensor_of(float* data, int64_t* shape, int32_t rank) {
  DLTensor t = {0};
  t.data = data;
  t.device.device_type = kDLCPU;
  t.ndim = rank;
  t.dtype.code = kDLFloat;
  t.dtype.bits = 32;
  t.dtype.lanes = 1;
  t.shape = shape;
  return t;
}

static void run_main(sunmao_session* session, int64_t rows) {
  float x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  int64_t shape[2] = {rows, 3};
  const DLTensor input = tensor_of(x, shape, 2);
  DLTensor outputs[2] = {{0}, {0}};
  CALL(api.run(session, "main", &input, 1, outputs, 2, &error));
  EXPECT(((float*)outputs[0].data)[3 * rows - 1] == (float)((3 * rows + 30) * (3 * rows + 30)));
  EXPECT(((float*)outputs[1].data)[0] == 11.0f);
}

static void run_managed(sunmao_session* session) {
  float x[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3};
  const DLTensor input = tensor_of(x, shape, 2);
  DLManagedTensor* managed[2] = {NULL, NULL};
  CALL(api.run_managed(session, NULL, &input, 1, managed, 2, &error));
  EXPECT(((float*)managed[1]->dl_tensor.data)[5] == 36.0f);
  managed[0]->deleter(managed[0]);
  managed[1]->deleter(managed[1]);
}

static void run_calls(sunmao_session* session, const char* function, float expected) {
  float x[3] = {4, 0, 0};
  float row[3] = {-1, 1, 0};
  int64_t shape[2] = {1, 3};
  int64_t row_shape[1] = {3};
  const DLTensor inputs[2] = {tensor_of(x, shape, 2), tensor_of(row, row_shape, 1)};
  DLTensor output = {0};
  CALL(api.run(session, function, inputs, 2, &output, 1, &error));
  EXPECT(((float*)output.data)[1] == expected);
}

static void describe(sunmao_model* model) {
  char* text = NULL;
  const int64_t sizes[2] = {5, 3};
  sunmao_memory_info memory;
  CALL(api.model_disassemble(model, &text, &error));
  EXPECT(strstr(text, "function `main`") != NULL);
  api.string_free(text);
  CALL(api.function_memory(model, 0, sizes, 2, &memory, &error));
  EXPECT(memory.live_bytes >= 60);
}

static void run_all(sunmao_model* model) {
  sunmao_session* session = NULL;
  sunmao_profile_info info;
  CALL(api.session_create(model, &session, &error));
  run_main(session, 2);
  run_main(session, 4);
  run_main(session, 2);
  run_managed(session);
  run_calls(session, "walk", 4.0f);
  run_calls(session, "climb", 8.0f);
  CALL(api.profile_start(session, NULL, &error));
  run_main(session, 3);
  run_calls(session, "walk", 4.0f);
  CALL(api.profile_stop(session, &error));
  EXPECT(api.profile_get_info(session, &info) == 0 && info.runs >= 2);
  api.session_free(session);
}

static const char kModel[] = "tests/fuzz/corpus/fuzz_runtime_artifact/tiny.sunmao";
static const char* weights_path;

// An error whose own record needs memory.
static void fail_to_load(void) {
  sunmao_model* model = NULL;
  EXPECT(api.load("no/such/model/of/this/name/which/is/longer/than/a/string/without/memory.sunmao", NULL, &model,
                  &error) != 0);
  EXPECT(strcmp(error.code, "E0801") == 0 || (faults > 0 && strcmp(error.code, "E0910") == 0));
  EXPECT(model == NULL && error.message[0] != '\0');
}

static void* pass(void* number) {
  sunmao_model* model = NULL;
  const bool lasts = *(const long*)number < 0;
  fault_lasts = lasts;
  fault_left = fault_number = lasts ? -*(const long*)number : *(const long*)number;
  is_armed = true;
  EXPECT(api.get_threads() == 2);
  fail_to_load();
  CALL(api.load(kModel, NULL, &model, &error));
  CALL(api.model_write_weights(model, weights_path, &error));
  describe(model);
  run_all(model);
  api.model_free(model);
  is_armed = false;
  return faults > 0 ? number : NULL;
}

/// Runs one pass in a thread of its own; returns whether an allocation failed in it.
static bool run_pass(long number) {
  pthread_t thread;
  void* has_failed = NULL;
  if (real_pthread_create(&thread, NULL, pass, &number) != 0) exit(1);
  pthread_join(thread, &has_failed);
  return has_failed != NULL;
}

int main(void) {
  // In memory where there is such a folder: each pass writes the file and waits until it is on the disk.
  static char paths[2][40] = {"/dev/shm/missing_memory_XXXXXX", "/tmp/missing_memory_XXXXXX"};
  long allocations[2] = {0, 0};
  int file = mkstemp(paths[0]);
  weights_path = paths[file < 0 ? 1 : 0];
  if (file < 0) file = mkstemp(paths[1]);
  if (file < 0) return 1;
  close(file);
  open_library();
  api.set_threads(2);
  for (int lasts = 0; lasts < 2; ++lasts)
    while (failures == 0 && run_pass(lasts ? -(allocations[lasts] + 1) : allocations[lasts] + 1)) ++allocations[lasts];
  EXPECT(allocations[0] > 300 && allocations[1] > 300);
  printf("%ld allocations failed alone, %ld with all that followed\n", allocations[0], allocations[1]);
  unlink(weights_path);
  return failures == 0 ? 0 : 1;
}
