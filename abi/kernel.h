// The calling convention of compiled kernels. Plain C, shared by the code generator, the runtime and generated
// headers; it uses none of their types.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Incremented with every change of this file. Versions from the oldest one on are supported, since fields are only
// appended; an artifact of any other version is rejected at load.
#define SUNMAO_KERNEL_ABI 4u
#define SUNMAO_OLDEST_KERNEL_ABI 1u

typedef struct sunmao_context sunmao_context;

// The body of a parallel loop. `closure` belongs to the kernel that started the loop, and outlives the loop.
typedef int (*sunmao_parallel_body)(void* closure, int64_t index, sunmao_context* context);
// The same for the iterations [begin, end), which it runs in order until one fails.
typedef int (*sunmao_range_body)(void* closure, int64_t begin, int64_t end, sunmao_context* context);

// The services of the host to a running kernel. Compiled code imports no symbols, so these functions are all that it
// calls.
struct sunmao_context {
  uint32_t abi_version;  // SUNMAO_KERNEL_ABI
  uint32_t num_threads;  // threads that a parallel loop may use, at least 1
  // Runs body(closure, i, context) for every i in [0, count), in any order and on any thread. Returns 0, or one of the
  // non-zero results, after which bodies that have not started may be skipped. Each body gets a context of its own,
  // which has num_threads == 1 and runs nested loops in place.
  int (*parallel_for)(sunmao_context* context, sunmao_parallel_body body, void* closure, int64_t count);
  // Records why the kernel failed (`message` has static storage duration) and returns a non-zero status, which the
  // kernel must return. May be called from bodies of a parallel loop; the first message is kept.
  int (*fail)(sunmao_context* context, const char* message);
  void* host;  // private to the runtime; kernels must not access it
  // Since version 2. Like `fail`, for an element of a tensor that is an invalid index or length: `what` names the op
  // (static storage duration), `index` is the element, `size` the bound that it violates.
  int (*fail_index)(sunmao_context* context, const char* what, int64_t index, int64_t size);
  // Since version 3. Like `parallel_for`, by ranges that cover [0, count). A thread gets the same part of loops of one
  // count, as long as no other thread is done earlier.
  int (*parallel_ranges)(sunmao_context* context, sunmao_range_body body, void* closure, int64_t count);
  // Since version 3. The thread that runs the body of a parallel loop: below the `num_threads` of the kernel that
  // started it, and of no other thread at the same time. 0 outside.
  uint32_t thread;
  // Since version 4. Memory for the temporaries of the running thread, aligned to 64 bytes, of as many bytes as the
  // image's table states; it holds anything when a kernel starts.
  void* scratch;
};

// A kernel. `buffers` are the data pointers of its tensor arguments, contiguous in row-major order and aligned to 64
// bytes (in the memory of a caller or a weight file: to their element size); `dims` are the values of its symbolic
// dimensions, in the order of its signature. Returns 0, or a non-zero status.
typedef int (*sunmao_kernel)(void* const* buffers, const int64_t* dims, sunmao_context* context);

// The entry point of a code image. An image (`code/<isa>` in an artifact) is an ELF64 shared object without imports and
// dynamic relocations, whose e_entry is the address of this table; `offset[i]` is the address of kernel i relative to
// the table. Behind the program's kernels stand those of custom ops (sunmao/op.h) that the manifest names. Since
// version 4, a uint32_t follows the offsets: the most bytes of scratch memory that a kernel needs on a thread, at most
// SUNMAO_MAX_SCRATCH.
typedef struct sunmao_kernel_table {
  uint32_t magic;  // SUNMAO_KERNEL_TABLE_MAGIC
  uint32_t abi_version;
  uint32_t count;
  int32_t offset[1];  // `count` of them
} sunmao_kernel_table;
#define SUNMAO_MAX_SCRATCH 0x10000000u
#define SUNMAO_KERNEL_TABLE_MAGIC 0x544b4d53u  // "SMKT"

#ifdef __cplusplus
}
#endif
