/* run_memory ARTIFACT SYMBOL SIZE...: for each size, what the runtime says that a run needs, and what a session takes
 * from the system in its first run, with outputs in memory of the caller: "<live> <arena> <taken> <threads>". */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sunmao/runtime.h>

enum { kMostValues = 16, kMostRank = 8 };

static size_t taken;

/* Stands before the C library's, also for the runtime. */
void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  taken += size;
  return (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

static int failed(const sunmao_error* error) {
  fprintf(stderr, "%s: %s\n", error->code, error->message);
  return 1;
}

static void* filled(const DLTensor* t) {
  size_t bytes = (t->dtype.bits + 7) / 8;
  int i;
  for (i = 0; i < t->ndim; ++i) bytes *= (size_t)t->shape[i];
  return calloc(bytes ? bytes : 1, 1);
}

static int measure(sunmao_model* model, const char* symbol, int64_t size) {
  DLTensor inputs[kMostValues], outputs[kMostValues];
  int64_t shapes[kMostValues][kMostRank], out_shapes[kMostValues][kMostRank], sizes[kMostValues * kMostRank];
  const size_t in = sunmao_input_count(model, 0), out = sunmao_output_count(model, 0);
  sunmao_session *first, *second;
  sunmao_memory_info memory;
  sunmao_error error;
  size_t count = 0, i;
  int d;
  if (in > kMostValues || out > kMostValues) return 1;
  for (i = 0; i < in; ++i) {
    sunmao_value_info info;
    if (sunmao_input_info(model, 0, i, &info) || info.ndim > kMostRank) return 1;
    for (d = 0; d < info.ndim; ++d) {
      const int is_asked = info.dims[d].symbol && strcmp(info.dims[d].symbol, symbol) == 0;
      sizes[count++] = shapes[i][d] = is_asked ? size : info.dims[d].size;
    }
    memset(&inputs[i], 0, sizeof inputs[i]);
    inputs[i].device.device_type = kDLCPU;
    inputs[i].dtype = info.dtype;
    inputs[i].ndim = info.ndim;
    inputs[i].shape = shapes[i];
    inputs[i].data = filled(&inputs[i]);
  }
  if (sunmao_function_memory(model, 0, sizes, count, &memory, &error)) return failed(&error);
  memset(outputs, 0, sizeof outputs);
  if (sunmao_session_create(model, &first, &error)) return failed(&error);
  if (sunmao_run(first, NULL, inputs, in, outputs, out, &error)) return failed(&error);
  for (i = 0; i < out; ++i) {
    if (outputs[i].ndim > kMostRank) return 1;
    for (d = 0; d < outputs[i].ndim; ++d) out_shapes[i][d] = outputs[i].shape[d];
    outputs[i].shape = out_shapes[i];
    outputs[i].data = filled(&outputs[i]);
  }
  sunmao_session_free(first);
  if (sunmao_session_create(model, &second, &error)) return failed(&error);
  taken = 0;
  if (sunmao_run(second, NULL, inputs, in, outputs, out, &error)) return failed(&error);
  printf("%llu %llu %zu %u\n", (unsigned long long)memory.live_bytes, (unsigned long long)memory.arena_bytes, taken,
         sunmao_model_threads(model));
  sunmao_session_free(second);
  for (i = 0; i < in; ++i) free(inputs[i].data);
  for (i = 0; i < out; ++i) free(outputs[i].data);
  return 0;
}

int main(int argc, char** argv) {
  sunmao_model* model;
  sunmao_error error;
  int i;
  if (argc < 4) return 2;
  sunmao_set_threads(1);
  if (sunmao_load(argv[1], NULL, &model, &error)) return failed(&error);
  for (i = 3; i < argc; ++i)
    if (measure(model, argv[2], atoll(argv[i]))) return 1;
  sunmao_model_free(model);
  return 0;
}
