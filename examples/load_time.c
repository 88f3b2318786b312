// Measures how long a fresh process takes from an artifact to its first result, and prints that as one line of JSON.
//
//   load_time model.sunmao [started]
//
// `started` is the time on CLOCK_MONOTONIC, in nanoseconds, at which whoever starts this process did so.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sunmao/runtime.h"

enum { kMaxRank = 16, kMostValues = 16 };
static const int kRepeats = 1000;
static const double kEnough = 2e8;  // nanoseconds of repeats

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int fail(const char* code, const char* message) {
  fprintf(stderr, "error[%s]: %s\n", code, message);
  return 1;
}

// Zeros for an input, each symbol as small as it may be.
static int make_input(const sunmao_model* model, size_t index, DLTensor* input, int64_t* shape) {
  sunmao_value_info info;
  if (sunmao_input_info(model, 0, index, &info) != 0 || info.ndim > kMaxRank) return 1;
  size_t size = (size_t)((info.dtype.bits * info.dtype.lanes + 7) / 8);
  for (int32_t i = 0; i < info.ndim; ++i) {
    const int64_t minimum = info.dims[i].minimum > 1 ? info.dims[i].minimum : 1;
    shape[i] = info.dims[i].size >= 0 ? info.dims[i].size : minimum;
    size *= (size_t)shape[i];
  }
  memset(input, 0, sizeof *input);
  input->data = calloc(size ? size : 1, 1);
  input->device.device_type = kDLCPU;
  input->ndim = info.ndim;
  input->dtype = info.dtype;
  input->shape = shape;
  return input->data == NULL;
}

int main(int argc, char** argv) {
  const double begin = now();
  sunmao_model* model = NULL;
  sunmao_session* session = NULL;
  sunmao_error error;
  DLTensor inputs[kMostValues], outputs[kMostValues];
  int64_t shapes[kMostValues][kMaxRank];
  if (argc < 2) return fail("usage", "load_time model.sunmao [started]");
  if (sunmao_load(argv[1], NULL, &model, &error) != 0) return fail(error.code, error.message);
  if (sunmao_session_create(model, &session, &error) != 0) return fail(error.code, error.message);
  const double loaded = now();
  const size_t input_count = sunmao_input_count(model, 0), output_count = sunmao_output_count(model, 0);
  if (input_count > kMostValues || output_count > kMostValues)
    return fail("usage", "a model of fewer values is wanted");
  for (size_t i = 0; i < input_count; ++i)
    if (make_input(model, i, &inputs[i], shapes[i]) != 0) return fail("usage", "there is no memory for an input");
  const double ready = now();
  memset(outputs, 0, sizeof outputs);
  if (sunmao_run(session, NULL, inputs, input_count, outputs, output_count, &error) != 0)
    return fail(error.code, error.message);
  const double first = now();
  int repeats = 0;
  while (repeats < kRepeats && (repeats == 0 || now() - first < kEnough)) {
    ++repeats;
    memset(outputs, 0, sizeof outputs);
    if (sunmao_run(session, NULL, inputs, input_count, outputs, output_count, &error) != 0)
      return fail(error.code, error.message);
  }
  const double end = now();
  const double started = argc > 2 ? strtod(argv[2], NULL) : begin;
  printf(
      "{\"load_ms\": %.4f, \"first_run_ms\": %.4f, \"load_to_first_result_ms\": %.4f, "
      "\"process_to_first_result_ms\": %.4f, \"run_us\": %.3f}\n",
      (loaded - begin) / 1e6, (first - ready) / 1e6, (first - begin) / 1e6, (first - started) / 1e6,
      (end - first) / 1e3 / repeats);
  for (size_t i = 0; i < input_count; ++i) free(inputs[i].data);
  sunmao_session_free(session);
  sunmao_model_free(model);
  return 0;
}
