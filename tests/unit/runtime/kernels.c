// Source of the kernels of the tests' model. make_kernel_image.sh compiles it to kernel_image.h, which is committed so
// that the tests need no compiler. This file is not part of the build.
#include "abi/kernel.h"

#define HIDDEN __attribute__((visibility("hidden")))

// out[i, j] = x[i, j] + row[j]; dims: n, k
HIDDEN int add_row(void* const* buffers, const int64_t* dims, sunmao_context* context) {
  (void)context;
  const float* x = buffers[0];
  const float* row = buffers[1];
  float* out = buffers[2];
  for (int64_t i = 0; i < dims[0]; ++i)
    for (int64_t j = 0; j < dims[1]; ++j) out[i * dims[1] + j] = x[i * dims[1] + j] + row[j];
  return 0;
}

struct square {
  const float* x;
  float* out;
  int64_t k;
};

static int square_row(void* closure, int64_t i, sunmao_context* context) {
  (void)context;
  const struct square* s = closure;
  for (int64_t j = 0; j < s->k; ++j) s->out[i * s->k + j] = s->x[i * s->k + j] * s->x[i * s->k + j];
  return 0;
}

// out = x * x, a row per step of a parallel loop; dims: n, k
HIDDEN int square_rows(void* const* buffers, const int64_t* dims, sunmao_context* context) {
  struct square s = {buffers[0], buffers[1], dims[1]};
  return context->parallel_for(context, square_row, &s, dims[0]);
}

// Fails when dims[0] is 13.
HIDDEN int refuse_thirteen(void* const* buffers, const int64_t* dims, sunmao_context* context) {
  (void)buffers;
  return dims[0] == 13 ? context->fail(context, "thirteen rows are too many") : 0;
}

// flag = x[0] > 0
HIDDEN int is_positive(void* const* buffers, const int64_t* dims, sunmao_context* context) {
  (void)dims, (void)context;
  *(uint8_t*)buffers[1] = *(const float*)buffers[0] > 0;
  return 0;
}

__asm__(
    ".section .rodata\n"
    ".balign 8\n"
    ".globl kernel_table\n"
    ".hidden kernel_table\n"
    "kernel_table:\n"
    ".long 0x544b4d53, 1, 4\n"
    ".long add_row - kernel_table, square_rows - kernel_table\n"
    ".long refuse_thirteen - kernel_table, is_positive - kernel_table\n"
    ".text\n");
