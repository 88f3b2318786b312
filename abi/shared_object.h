// What the code that is generated for a shared object of a model (docs/adr/0038-shared-objects.md) and the part of the
// runtime that is linked with it (runtime/object) agree on. Plain C.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The artifact, which lies in the shared object, aligned to a page.
typedef struct sunmao_object_artifact {
  const void* data;
  uint64_t size;
} sunmao_object_artifact;
extern const sunmao_object_artifact sunmao_object_model;

// Elements and sizes of a tensor that a caller gives; dtype and rank are the signature's.
typedef struct sunmao_object_tensor {
  void* data;
  const int64_t* shape;
} sunmao_object_tensor;

// A function of the model. `words` are: the number of inputs, that of outputs, the number of sizes that the plain form
// takes; then of each input and each output: dtype (code | bits << 8 | lanes << 16), rank, and a word for each
// dimension: a size, or -1 - i for the plain form's size i.
typedef struct sunmao_object_function {
  const char* name;
  const int64_t* words;
} sunmao_object_function;

// Bytes of scratch memory, aligned to 8: SUNMAO_OBJECT_TENSOR_BYTES for each input and output and, in the plain form,
// a sunmao_object_tensor for each and 8 for each dimension.
#define SUNMAO_OBJECT_TENSOR_BYTES 48

struct sunmao_session;
struct sunmao_error;

// Runs a function on tensors (the general form). An output without `data` gets memory of the session.
int sunmao_object_call(struct sunmao_session* session, const sunmao_object_function* function,
                       const sunmao_object_tensor* inputs, sunmao_object_tensor* outputs, void* scratch,
                       struct sunmao_error* error);
// Runs a function on `arguments`: the sizes, then the addresses of inputs and outputs (the plain form).
int sunmao_object_run(struct sunmao_session* session, const sunmao_object_function* function, const uint64_t* arguments,
                      void* scratch, struct sunmao_error* error);

#ifdef __cplusplus
}
#endif
