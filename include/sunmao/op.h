// Kernels of custom ops in C: functions that a program registers with a session (sunmao_register_op), or whose object
// file is part of an artifact. C11 and C++; it needs no library.
#ifndef SUNMAO_OP_H_
#define SUNMAO_OP_H_

#include <stddef.h>
#include <stdint.h>

#include "sunmao/dlpack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An argument that is no tensor: an integer, several (a shape), a number with a fraction, or a text.
typedef struct sunmao_op_value {
  const int64_t* integers;  // NULL for other kinds
  size_t count;             // of `integers`
  double real;              // the number; that of a single integer, too
  const char* text;         // NULL for other kinds
} sunmao_op_value;

/// A call of a kernel. Tensors are on the CPU and contiguous in row-major order, without `strides`; those of the
/// runtime are aligned to 64 bytes, others (inputs of a caller, weights of a file) to their element size. All is valid
/// during the call.
typedef struct sunmao_op_call {
  size_t struct_size;      // sizeof(sunmao_op_call), for forward compatibility
  const DLTensor* inputs;  // the tensors, in order; to be read
  size_t input_count;
  const DLTensor* outputs;  // the results, with the shapes that the model states; to be written completely
  size_t output_count;
  const sunmao_op_value* values;  // the other arguments, in order
  size_t value_count;
  const char** failure;  // where a kernel that fails says why: a text that outlives the call
} sunmao_op_call;

/// A kernel. It returns 0 on success. It is called on the thread of the run, and by several threads at once where
/// sessions run in parallel.
typedef int (*sunmao_op)(void* data, const sunmao_op_call* call);

#ifdef __cplusplus
}
#endif
#endif  // SUNMAO_OP_H_
