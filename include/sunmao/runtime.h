// Sunmao's runtime: loads a compiled model (`model.sunmao`) and runs it. C11 and C++.
//
// A function with a parameter `error` returns 0 on success and a non-zero value on failure, and describes the failure
// in *error (`error` may be NULL). NULL handles, damaged files and missing memory are failures; they do not end the
// process. After a failure for lack of memory (E0910) model and session are as good as before, and the same call may be
// made again. There is no global error state.
#ifndef SUNMAO_RUNTIME_H_
#define SUNMAO_RUNTIME_H_

#include <stddef.h>
#include <stdint.h>

#include "sunmao/dlpack.h"
#include "sunmao/op.h"

#define SUNMAO_VERSION_MAJOR 0
#define SUNMAO_VERSION_MINOR 1
#define SUNMAO_VERSION_PATCH 0
#define SUNMAO_VERSION "0.1.0"

#define SUNMAO_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// A loaded artifact. It is immutable and may be used from any number of threads at once.
typedef struct sunmao_model sunmao_model;

/// What one caller that runs a model has of its own: memory for intermediate results, cached layouts for the shapes
/// seen so far, and the model's state. A session runs one call at a time; sessions of one model may run in parallel.
typedef struct sunmao_session sunmao_session;

/// An error. Texts are truncated to fit and always end with a NUL byte.
typedef struct sunmao_error {
  char code[8];        // such as "E0903", see docs/errors/E0903.md; empty after success
  char message[1016];  // what is wrong: expected and actual values
  char help[512];      // what to do about it; may be empty
} sunmao_error;

typedef struct sunmao_load_options {
  size_t struct_size;        // sizeof(sunmao_load_options), for forward compatibility
  uint32_t threads;          // the most threads that a run of this model uses; 0: as many as the process allows
  uint32_t verify_weights;   // not 0: compare the digest of the weights, which reads all of them
  const char* isa;           // the code image to use, such as "x86-64-v3"; NULL: the best for this processor
  const char* weights_path;  // a safetensors file with weights that replace the artifact's own, as the model uses them,
                             // or, if it prepares weights itself, unprepared; NULL: none
  uint32_t without_code;     // not 0: load no code, to inspect an artifact for another machine
  const char* cache_folder;  // a folder that caches prepared weights for later loads of the same model; NULL: none
} sunmao_load_options;
#define SUNMAO_LOAD_OPTIONS_INIT {sizeof(sunmao_load_options), 0, 0, NULL, NULL, 0, NULL}

/// A dimension in a signature.
typedef struct sunmao_dim {
  int64_t size;        // -1 for a symbol
  const char* symbol;  // NULL for a size
  int64_t minimum;     // the range that a run accepts; for a size, both equal it
  int64_t maximum;
} sunmao_dim;

/// An input or output of a function. The pointers are valid as long as the model.
typedef struct sunmao_value_info {
  const char* name;
  const char* dtype_name;  // "float32"
  DLDataType dtype;
  int32_t ndim;
  const sunmao_dim* dims;  // `ndim` of them
} sunmao_value_info;

/// What a run needs for the values between its kernels, in bytes.
typedef struct sunmao_memory_info {
  uint64_t arena_bytes;  // memory that a session keeps for them
  uint64_t live_bytes;   // the most that are in use at one time: no plan needs less
} sunmao_memory_info;

/// Returns the version of the library, such as "0.1.0".
SUNMAO_API const char* sunmao_version(void);

/// Sets the number of threads for one run, in the whole process, from the next run on; at most 256. 0 restores the
/// default: SUNMAO_NUM_THREADS if set, else the number of processors available to the process. While no count is set
/// here and that variable is neither empty nor a number from 1 to 256, loading with code fails (E0920).
SUNMAO_API void sunmao_set_threads(uint32_t count);
/// Returns that number; 0 when there is no memory to find it out.
SUNMAO_API uint32_t sunmao_get_threads(void);

/// Loads an artifact. The file is mapped, so it must not be truncated or rewritten in place while loaded (replacing it
/// by renaming another file over it is safe). `options` may be NULL.
SUNMAO_API int sunmao_load(const char* path, const sunmao_load_options* options, sunmao_model** model,
                           sunmao_error* error);

/// Loads an artifact from memory. `data` is not copied, so the caller keeps it alive and unchanged until the model and
/// all its sessions are freed. Weights are used in place if `data` is aligned to 64 bytes.
SUNMAO_API int sunmao_load_memory(const void* data, size_t size, const sunmao_load_options* options,
                                  sunmao_model** model, sunmao_error* error);

/// Releases the model; its sessions stay usable. NULL is allowed.
SUNMAO_API void sunmao_model_free(sunmao_model* model);

/// Returns the name of the code image in use, such as "x86-64-v4"; empty when loaded without code.
SUNMAO_API const char* sunmao_model_isa(const sunmao_model* model);
/// Returns the most threads that a run of the model uses now: those of the process, or fewer if it was loaded so.
SUNMAO_API uint32_t sunmao_model_threads(const sunmao_model* model);
/// Returns the text of manifest.json.
SUNMAO_API const char* sunmao_model_manifest(const sunmao_model* model);

/// Writes the prepared weights that the functions of a model use to a safetensors file, which can be the `weights_path`
/// of a later load. The file is written atomically.
SUNMAO_API int sunmao_model_write_weights(const sunmao_model* model, const char* path, sunmao_error* error);

SUNMAO_API size_t sunmao_function_count(const sunmao_model* model);
/// Says what memory a function needs where its inputs have these sizes: their shapes, and the sizes that inputs hold,
/// one after another. States have the sizes of their first values. What functions that it calls need, and outputs, are
/// not counted.
SUNMAO_API int sunmao_function_memory(const sunmao_model* model, size_t function, const int64_t* sizes,
                                      size_t size_count, sunmao_memory_info* info, sunmao_error* error);
/// Returns a function's `live_bytes` as a formula in the symbols of its inputs, such as "max(256*n + 1024, 512*n)", to
/// be freed with sunmao_string_free; `align(x)` is x rounded up to a multiple of 64. "" where no short formula says it.
SUNMAO_API int sunmao_function_memory_formula(const sunmao_model* model, size_t function, char** text,
                                              sunmao_error* error);
/// Returns the name of the function with this index; NULL when there is none.
SUNMAO_API const char* sunmao_function_name(const sunmao_model* model, size_t function);
/// Returns the index of the named function, or -1.
SUNMAO_API int64_t sunmao_find_function(const sunmao_model* model, const char* name);

/// Return the number of inputs or outputs; 0 when there is no such function. Inputs are the parameters that a caller
/// passes, not those bound to weights.
SUNMAO_API size_t sunmao_input_count(const sunmao_model* model, size_t function);
SUNMAO_API size_t sunmao_output_count(const sunmao_model* model, size_t function);
/// Fills in *info and returns 0; non-zero when there is no such function, input or output.
SUNMAO_API int sunmao_input_info(const sunmao_model* model, size_t function, size_t input, sunmao_value_info* info);
/// Returns the number of sizes that an input holds which is a shape or a number, and sets *sizes to what is known of
/// them; 0 for other inputs.
SUNMAO_API size_t sunmao_input_sizes(const sunmao_model* model, size_t function, size_t input,
                                     const sunmao_dim** sizes);
SUNMAO_API int sunmao_output_info(const sunmao_model* model, size_t function, size_t output, sunmao_value_info* info);

SUNMAO_API int sunmao_session_create(sunmao_model* model, sunmao_session** session, sunmao_error* error);
/// Releases the session and its memory. NULL is allowed.
SUNMAO_API void sunmao_session_free(sunmao_session* session);

/// Return the number and the names of a model's states: values that each session keeps between runs, which functions of
/// the model read and change. They are no inputs and no outputs. NULL and -1 when there is no such state.
SUNMAO_API size_t sunmao_state_count(const sunmao_model* model);
SUNMAO_API const char* sunmao_state_name(const sunmao_model* model, size_t state);
SUNMAO_API int64_t sunmao_find_state(const sunmao_model* model, const char* name);
/// Fills in *info and returns 0; non-zero when there is no such state. A size that runs may change is a symbol.
SUNMAO_API int sunmao_state_info(const sunmao_model* model, size_t state, sunmao_value_info* info);
/// Returns the shape of a state's first value, as many sizes as `ndim` says; NULL when there is no such state. It is
/// valid as long as the model.
SUNMAO_API const int64_t* sunmao_state_first_shape(const sunmao_model* model, size_t state);

/// Gives all states of a session their first values. None of these functions may be called while the session runs
/// (E0916). Outputs of the last run that are in memory of the session are valid no longer.
SUNMAO_API int sunmao_session_reset(sunmao_session* session, sunmao_error* error);
/// Makes a session of the same model that goes on where `session` is: with copies of the states, the functions of the
/// host and the question of `sunmao_session_set_stop`.
SUNMAO_API int sunmao_session_copy(sunmao_session* session, sunmao_session** copy, sunmao_error* error);
/// Writes the states to a safetensors file, atomically.
SUNMAO_API int sunmao_session_save(sunmao_session* session, const char* path, sunmao_error* error);
/// Reads the states from such a file. Nothing is changed when it fails (E0926: a file of another model).
SUNMAO_API int sunmao_session_load(sunmao_session* session, const char* path, sunmao_error* error);
/// Returns a copy of a state's value, released by its `deleter`; NULL on failure.
SUNMAO_API int sunmao_session_get_state(sunmao_session* session, size_t state, DLManagedTensor** value,
                                        sunmao_error* error);
/// Gives a state a copy of this value.
SUNMAO_API int sunmao_session_set_state(sunmao_session* session, size_t state, const DLTensor* value,
                                        sunmao_error* error);

/// Lets runs of the session ask now and then, between calls of the model's functions (in loops, between their steps),
/// whether they should end: where `should_stop(data)` is not 0, the run fails (E0922). It is called on the thread of
/// the run, at most some twenty times a second. NULL: runs ask no longer. Not while the session runs.
SUNMAO_API int sunmao_session_set_stop(sunmao_session* session, int (*should_stop)(void* data), void* data,
                                       sunmao_error* error);

/// A call of a function of the host: of the program that runs the model.
typedef struct sunmao_host_call {
  size_t struct_size;  // sizeof(sunmao_host_call), for forward compatibility
  /// What the model calls: the name, in parentheses the arguments, then `->` and the results, such as
  /// `scale(float32[2], (shape[2], int), "up") -> float32[2]`. `float32[2]` is a tensor of rank 2, `shape[2]` two
  /// sizes, `int` a number, `object` a value that only the host understands, `out float32[2]` the shape of a result
  /// that the function makes, `inout float32[2]` a tensor that it may change; these are the `inputs`, in order. Texts,
  /// numbers such as `2` or `0.5`, `none` and nested parentheses stand for themselves.
  const char* form;
  /// Valid during the call and to be read, other than `inout`, which lies in memory that nothing else reads. Sizes and
  /// numbers are int64 tensors; an object is a tensor of rank 0 and dtype kDLOpaqueHandle of 64 bits, whose element the
  /// host has given: the model moves it, and does nothing else with it.
  const DLTensor* inputs;
  size_t input_count;
  DLManagedTensor** outputs;  // NULL at first; the function sets each, and the runtime releases it after the call
  size_t output_count;
  sunmao_error* error;  // where a function that fails says why
} sunmao_host_call;

/// A function of the host. It returns 0 on success. It must not run anything in the session that calls it.
typedef int (*sunmao_host_function)(void* data, const sunmao_host_call* call);

/// Return the number and the names of the functions of the host that a model calls; NULL when there is no such
/// function.
SUNMAO_API size_t sunmao_host_function_count(const sunmao_model* model);
SUNMAO_API const char* sunmao_host_function_name(const sunmao_model* model, size_t index);

/// Gives a session the function that its model calls by this name (E0901 when it calls none); it is called on the
/// thread of the run. Not while the session runs.
SUNMAO_API int sunmao_register_function(sunmao_session* session, const char* name, sunmao_host_function function,
                                        void* data, sunmao_error* error);

/// The same with a kernel of an op (sunmao/op.h), whose results the session allocates: for functions that the model
/// tells the shapes of all their results (`out`); E0927 for others.
SUNMAO_API int sunmao_register_op(sunmao_session* session, const char* name, sunmao_op op, void* data,
                                  sunmao_error* error);

/// Runs a function; if `function` is NULL, the only one or, of several, `main`.
/// An input that is a shape or a number is an int64 tensor of rank 1 that holds the sizes; that of a number may have
/// rank 0. So are outputs: those of numbers have rank 0.
///
/// Inputs are used in place when they are contiguous, aligned to their element size and not overlapped by an output in
/// the caller's memory; otherwise they are copied first.
/// An output whose `data` is NULL is filled in completely, with memory of the session that is valid until its next run,
/// change of state or end, and that outputs of equal contents may share: it is to be read. Any other output is in the
/// caller's memory: its dtype and shape must be those of the result, its layout contiguous and aligned to the element
/// size; the result is written to it directly.
/// Elements of less than a byte are packed, as DLPack has it without the padded flag, and contiguous. Of the last byte
/// of an output, bits that no element uses are 0. When a run fails, the contents of the caller's outputs are
/// unspecified; states are as before, or, where the run had changed one, runs that read it fail (E0925) until it is
/// reset, loaded or set.
SUNMAO_API int sunmao_run(sunmao_session* session, const char* function, const DLTensor* inputs, size_t input_count,
                          DLTensor* outputs, size_t output_count, sunmao_error* error);

/// Runs a function with outputs that outlive the session: each is released by its `deleter`, before or after the
/// session. On failure all of `outputs` are NULL.
SUNMAO_API int sunmao_run_managed(sunmao_session* session, const char* function, const DLTensor* inputs,
                                  size_t input_count, DLManagedTensor** outputs, size_t output_count,
                                  sunmao_error* error);

/// Returns the index of a kernel in a model's code, for programs that execute the graph level themselves; -1 when there
/// is none with this name.
SUNMAO_API int64_t sunmao_find_kernel(const sunmao_model* model, const char* name);
/// Calls a kernel. `buffers` are the addresses of its tensors, `dims` the values of its symbols, in the order of its
/// signature; their number is checked, their contents are not. Buffers must be contiguous and aligned to their element
/// size, and a written buffer must not overlap any other.
SUNMAO_API int sunmao_run_kernel(sunmao_session* session, int64_t kernel, void* const* buffers, size_t buffer_count,
                                 const int64_t* dims, size_t dim_count, sunmao_error* error);

typedef struct sunmao_profile_options {
  size_t struct_size;   // sizeof(sunmao_profile_options), for forward compatibility
  uint64_t max_events;  // how many runs and kernel calls are kept one by one, for a trace; at most 2^24
} sunmao_profile_options;
#define SUNMAO_PROFILE_OPTIONS_INIT {sizeof(sunmao_profile_options), 0}

/// What the profile of a session holds.
typedef struct sunmao_profile_info {
  uint64_t runs;         // those that failed included
  uint64_t nanoseconds;  // in runs, kernels included
  size_t record_count;
  size_t event_count;
  uint64_t lost_calls;  // kernel calls that are in no record, since there are too many different sizes
  uint64_t lost_events;
} sunmao_profile_info;

/// The calls of a kernel from one place of a function and with the same sizes. The pointers are valid until the next
/// run or start of a profile.
typedef struct sunmao_profile_record {
  const char* kernel;
  const char* function;
  size_t call;          // the place: the number of the call among the function's kernel calls, in program order
  const int64_t* dims;  // the values of the kernel's symbols, in the order of its signature
  size_t dim_count;
  uint64_t calls;
  uint64_t nanoseconds;  // of all calls together
  uint64_t fastest;      // nanoseconds of the fastest call
} sunmao_profile_record;

/// One kernel call, or one run.
typedef struct sunmao_profile_event {
  int64_t record;        // index of the kernel call's record; -1 for a run
  uint64_t begin;        // nanoseconds since the profile was started
  uint64_t nanoseconds;  // how long it took
} sunmao_profile_event;

/// Starts to record the runs of a session, and drops what was recorded before. It costs two readings of the clock for
/// each kernel call. Calls of sunmao_run_kernel are not recorded. `options` may be NULL.
SUNMAO_API int sunmao_profile_start(sunmao_session* session, const sunmao_profile_options* options,
                                    sunmao_error* error);
/// Stops recording. What was recorded can be read until the next start.
SUNMAO_API int sunmao_profile_stop(sunmao_session* session, sunmao_error* error);

/// Fill in their last argument and return 0; non-zero when there is no profile, or no such record or event. They must
/// not be called during a run of the session.
SUNMAO_API int sunmao_profile_get_info(const sunmao_session* session, sunmao_profile_info* info);
SUNMAO_API int sunmao_profile_get_record(const sunmao_session* session, size_t record, sunmao_profile_record* out);
SUNMAO_API int sunmao_profile_get_event(const sunmao_session* session, size_t event, sunmao_profile_event* out);

/// Returns the program of a model as readable text, to be freed with sunmao_string_free.
SUNMAO_API int sunmao_model_disassemble(const sunmao_model* model, char** text, sunmao_error* error);
/// Returns the bytes of a `program.bin` as readable text, to be freed with sunmao_string_free.
SUNMAO_API int sunmao_program_disassemble(const void* program, size_t size, char** text, sunmao_error* error);
SUNMAO_API void sunmao_string_free(char* text);

#ifdef __cplusplus
}
#endif
#endif  // SUNMAO_RUNTIME_H_
