// A kernel that an artifact carries: cc -O2 -fPIC -fno-stack-protector -Iinclude -c examples/custom_ops/gate.c
#include "sunmao/op.h"

// Elements below the attribute `least` become zeros.
int gate(void* data, const sunmao_op_call* call) {
  const float* x = (const float*)call->inputs[0].data;
  float* y = (float*)call->outputs[0].data;
  const float least = (float)call->values[0].real;
  const int64_t count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  (void)data;
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] < least ? 0 : x[i];
  return 0;
}
