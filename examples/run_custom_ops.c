// Runs an artifact with custom ops (examples/custom_ops/make_artifact.py), and is the one that has the op `offset`.
//
//   run_custom_ops ops.sunmao
//
// It prints the result of each function on the same input. It needs the runtime library and nothing else.
#include <stdio.h>
#include <string.h>

#include "sunmao/op.h"
#include "sunmao/runtime.h"

enum { kRows = 2, kColumns = 3 };

// The kernel of `offset`: adds what `data` points to.
static int offset(void* data, const sunmao_op_call* call) {
  const float* x = (const float*)call->inputs[0].data;
  float* y = (float*)call->outputs[0].data;
  const int64_t count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] + *(const float*)data;
  return 0;
}

static int fail(const sunmao_error* error) {
  fprintf(stderr, "error[%s]: %s\n  help: %s\n", error->code, error->message, error->help);
  return 1;
}

int main(int argc, char** argv) {
  sunmao_model* model = NULL;
  sunmao_session* session = NULL;
  sunmao_error error;
  float shift = 100, x[kRows * kColumns] = {-1, -0.5f, 0, 0.5f, 1, 2};
  int64_t shape[2] = {kRows, kColumns};
  const DLTensor input = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
  if (argc != 2) {
    fprintf(stderr, "usage: run_custom_ops ops.sunmao\n");
    return 2;
  }
  if (sunmao_load(argv[1], NULL, &model, &error) || sunmao_session_create(model, &session, &error)) return fail(&error);
  if (sunmao_register_op(session, "offset", offset, &shift, &error)) return fail(&error);
  for (size_t f = 0; f < sunmao_function_count(model); ++f) {
    DLTensor output;
    memset(&output, 0, sizeof output);  // without `data`: the session's memory is used
    const char* name = sunmao_function_name(model, f);
    if (sunmao_run(session, name, &input, 1, &output, 1, &error)) return fail(&error);
    printf("%s", name);
    for (int i = 0; i < kRows * kColumns; ++i) printf(" %.6g", (double)((const float*)output.data)[i]);
    printf("\n");
  }
  sunmao_session_free(session);
  sunmao_model_free(model);
  return 0;
}
