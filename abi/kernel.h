// The one calling convention of compiled kernels. Plain C: shared by the code generator, the runtime and generated
// headers. It holds no types of either tree.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Changes whenever anything in this file changes. Code of the versions from the oldest on runs, as what was added since
// stands behind what it uses; an artifact of another version is refused at load.
#define SUNMAO_KERNEL_ABI 2u
#define SUNMAO_OLDEST_KERNEL_ABI 1u

typedef struct sunmao_context sunmao_context;

// One step of a parallel loop. `closure` belongs to the kernel that started the loop and outlives it.
typedef int (*sunmao_parallel_body)(void* closure, int64_t index, sunmao_context* context);

// What a kernel may ask of its host while it runs. Code imports no symbol, so everything goes through here.
struct sunmao_context {
  uint32_t abi_version;  // SUNMAO_KERNEL_ABI
  uint32_t num_threads;  // threads that `parallel_for` may use, at least 1
  // Runs body(closure, i, context) for every i in [0, count), in any order and on any thread; returns 0, or one of the
  // non-zero results, after which bodies not yet begun may be left out. The context that a body is given is its own:
  // it has num_threads == 1 and runs inner loops in place.
  int (*parallel_for)(sunmao_context* context, sunmao_parallel_body body, void* closure, int64_t count);
  // Records why the kernel failed (a string of static life) and returns a non-zero status to be returned by the kernel.
  // May be called from the bodies of a parallel loop; the first message is kept.
  int (*fail)(sunmao_context* context, const char* message);
  void* host;  // the runtime's own; kernels never look at it
  // Since version 2. As `fail`, for a number in a tensor that is used as an index or a length: `what` names the op
  // (of static life), `index` is the number as it stands in the tensor, `size` what it has to fit.
  int (*fail_index)(sunmao_context* context, const char* what, int64_t index, int64_t size);
};

// A kernel: `buffers` are the data pointers of its tensor arguments, contiguous in C order and aligned to 64 bytes
// (inputs and outputs in a caller's memory: to their element size), `dims` the values of its symbolic dimensions, in
// the order that the kernel's signature lists them. Returns 0, or a non-zero status.
typedef int (*sunmao_kernel)(void* const* buffers, const int64_t* dims, sunmao_context* context);

// A code image (`code/<isa>` in an artifact) is an ELF64 shared object without imports and without dynamic
// relocations. Its entry point (e_entry) is the address of this table; `offset[i]` is the address of kernel i minus
// the address of the table itself.
typedef struct sunmao_kernel_table {
  uint32_t magic;  // SUNMAO_KERNEL_TABLE_MAGIC
  uint32_t abi_version;
  uint32_t count;
  int32_t offset[1];  // `count` of them
} sunmao_kernel_table;
#define SUNMAO_KERNEL_TABLE_MAGIC 0x544b4d53u  // "SMKT"

#ifdef __cplusplus
}
#endif
