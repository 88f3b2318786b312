// The kernel of a custom op: x / (1 + exp(-beta * x)), by a polynomial for the exponential, so that it needs no
// library.
#include "sunmao/op.h"

static const double kLn2 = 0.6931471805599453;

static double exponential(double x) {
  if (x > 700) x = 700;
  if (x < -700) x = -700;
  const int power = (int)(x / kLn2);
  const double rest = x - power * kLn2;
  double term = 1, sum = 1;
  for (int i = 1; i < 18; ++i) sum += term *= rest / i;
  union {
    uint64_t bits;
    double value;
  } scale = {(uint64_t)(power + 1023) << 52};
  return sum * scale.value;
}

int swish(void* data, const sunmao_op_call* call) {
  (void)data;
  const DLTensor *x = &call->inputs[0], *y = &call->outputs[0];
  const double beta = call->values[0].real;
  int64_t count = 1;
  if (beta < 0) return *call->failure = "beta is negative", 1;
  for (int32_t i = 0; i < x->ndim; ++i) count *= x->shape[i];
  for (int64_t i = 0; i < count; ++i) {
    const float value = ((const float*)x->data)[i];
    ((float*)y->data)[i] = (float)(value / (1 + exponential(-beta * value)));
  }
  return 0;
}
