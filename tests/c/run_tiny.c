// Tests the runtime library from C, without C++: loads the tiny model of the runtime's tests, runs it through each
// function of the API, and checks errors. Run in the root of the repository.
#include <stdio.h>
#include <string.h>

#include "sunmao/runtime.h"

static int failures = 0;

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
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

static void describe(const sunmao_model* model) {
  sunmao_value_info info;
  EXPECT(sunmao_function_count(model) == 6);
  EXPECT(strcmp(sunmao_function_name(model, 0), "main") == 0);
  EXPECT(sunmao_input_info(model, 0, 0, &info) == 0);
  EXPECT(strcmp(info.name, "x") == 0 && info.ndim == 2);
  EXPECT(strcmp(info.dims[0].symbol, "n") == 0 && info.dims[0].maximum == 64);
}

static void run(sunmao_session* session) {
  float x[6] = {1, 2, 3, 4, 5, 6};
  float squares[6] = {0};
  int64_t shape[2] = {2, 3};
  DLTensor input = tensor_of(x, shape, 2);
  DLTensor outputs[2] = {tensor_of(squares, shape, 2), {0}};
  DLManagedTensor* managed[2] = {NULL, NULL};
  sunmao_error error;
  EXPECT(sunmao_run(session, "main", &input, 1, outputs, 2, &error) == 0);
  EXPECT(squares[0] == 121.0f && squares[5] == 36.0f * 36.0f);
  EXPECT(outputs[1].ndim == 2 && outputs[1].shape[0] == 2 && ((float*)outputs[1].data)[5] == 36.0f);

  EXPECT(sunmao_run_managed(session, NULL, &input, 1, managed, 2, &error) == 0);
  EXPECT(((float*)managed[1]->dl_tensor.data)[0] == 11.0f);
  managed[0]->deleter(managed[0]);
  managed[1]->deleter(managed[1]);
}

static void profile(sunmao_session* session) {
  sunmao_profile_options options = SUNMAO_PROFILE_OPTIONS_INIT;
  sunmao_profile_info info;
  sunmao_profile_record record;
  sunmao_profile_event event;
  sunmao_error error;
  options.max_events = 8;
  EXPECT(sunmao_profile_get_info(session, &info) != 0);
  EXPECT(sunmao_profile_start(session, &options, &error) == 0);
  run(session);
  EXPECT(sunmao_profile_stop(session, &error) == 0);
  run(session);
  EXPECT(sunmao_profile_get_info(session, &info) == 0);
  EXPECT(info.runs == 2 && info.record_count == 2 && info.event_count == 6 && info.lost_events == 0);
  EXPECT(sunmao_profile_get_record(session, 1, &record) == 0);
  EXPECT(strcmp(record.kernel, "square_rows") == 0 && strcmp(record.function, "main") == 0);
  EXPECT(record.calls == 2 && record.dim_count == 2 && record.dims[0] == 2 && record.dims[1] == 3);
  EXPECT(sunmao_profile_get_event(session, 5, &event) == 0);
  EXPECT(event.record == -1 && event.nanoseconds <= info.nanoseconds);
  EXPECT(sunmao_profile_get_record(session, 2, &record) != 0);
  EXPECT(sunmao_profile_start(NULL, NULL, &error) != 0 && strcmp(error.code, "E0900") == 0);
}

static void fail(sunmao_session* session) {
  float x[4] = {0};
  int64_t shape[2] = {1, 4};
  DLTensor input = tensor_of(x, shape, 2);
  DLTensor outputs[2] = {{0}, {0}};
  sunmao_error error;
  sunmao_model* model = NULL;
  EXPECT(sunmao_run(session, "main", &input, 1, outputs, 2, &error) != 0);
  EXPECT(strcmp(error.code, "E0905") == 0);
  EXPECT(strstr(error.message, "expected 3") != NULL);
  EXPECT(sunmao_load("tests/c/run_tiny.c", NULL, &model, &error) != 0);
  EXPECT(model == NULL && error.code[0] == 'E' && error.message[0] != '\0');
}

int main(void) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  sunmao_model* model = NULL;
  sunmao_session* session = NULL;
  sunmao_error error;
  options.verify_weights = 1;
  EXPECT(strcmp(sunmao_version(), SUNMAO_VERSION) == 0);
  if (sunmao_load("tests/fuzz/corpus/fuzz_runtime_artifact/tiny.sunmao", &options, &model, &error) != 0 ||
      sunmao_session_create(model, &session, &error) != 0) {
    fprintf(stderr, "%s: %s\n", error.code, error.message);
    return 1;
  }
  describe(model);
  sunmao_model_free(model);  // the session keeps the model alive
  run(session);
  profile(session);
  fail(session);
  sunmao_session_free(session);
  return failures != 0;
}
