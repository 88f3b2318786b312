// Sunmao's runtime: loads a compiled model (`model.sunmao`) and runs it. C11 and C++.
//
// Every function that can fail returns 0 on success and another number on failure, and then fills in *error (which may
// be NULL). Nothing a caller or a file hands in ends the process. There is no global error state.
#ifndef SUNMAO_RUNTIME_H_
#define SUNMAO_RUNTIME_H_

#include <stddef.h>
#include <stdint.h>

#include "sunmao/dlpack.h"

#define SUNMAO_VERSION_MAJOR 0
#define SUNMAO_VERSION_MINOR 1
#define SUNMAO_VERSION_PATCH 0
#define SUNMAO_VERSION "0.1.0"

#define SUNMAO_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// A loaded artifact. It never changes and may be used from any number of threads at once.
typedef struct sunmao_model sunmao_model;

/// What one caller needs in order to run a model: memory for intermediate results and the layouts of shapes seen so
/// far. One session serves one run at a time; sessions of one model may run in parallel.
typedef struct sunmao_session sunmao_session;

/// Texts are cut to fit, and always end with a NUL byte.
typedef struct sunmao_error {
  char code[8];        // "E0903": docs/errors/E0903.md; empty after success
  char message[1016];  // what is wrong, expected against got
  char help[512];      // what to do about it; may be empty
} sunmao_error;

typedef struct sunmao_load_options {
  size_t struct_size;        // sizeof(sunmao_load_options): lets this struct grow
  uint32_t threads;          // most threads that a run of this model uses; 0: as many as the process allows
  uint32_t verify_weights;   // not 0: compare the digest of the weights, which reads all of them
  const char* isa;           // the code image to use, such as "x86-64-v3"; NULL: the best for this processor
  const char* weights_path;  // a safetensors file used in place of the artifact's own weights, as the model takes them
                             // or, when it prepares weights itself, as they were before that; NULL: none
  uint32_t without_code;     // not 0: load no code, for looking at an artifact made for another machine
  const char* cache_folder;  // keeps weights that were prepared, for the next load of the same; NULL: none
} sunmao_load_options;
#define SUNMAO_LOAD_OPTIONS_INIT {sizeof(sunmao_load_options), 0, 0, NULL, NULL, 0, NULL}

/// A dimension in a signature.
typedef struct sunmao_dim {
  int64_t size;        // -1 when it is a symbol
  const char* symbol;  // NULL when it is a size
  int64_t minimum;     // the range that a run accepts; both are `size` when it is a size
  int64_t maximum;
} sunmao_dim;

/// An input or output of a function. The pointers are good for as long as the model.
typedef struct sunmao_value_info {
  const char* name;
  const char* dtype_name;  // "float32"
  DLDataType dtype;
  int32_t ndim;
  const sunmao_dim* dims;  // `ndim` of them
} sunmao_value_info;

/// The version of the library in use, such as "0.1.0".
SUNMAO_API const char* sunmao_version(void);

/// How many threads one run may use, in the whole process. 0 goes back to the default: SUNMAO_NUM_THREADS if set, else
/// the number of processors that the process may run on. Holds from the next run on. Loading fails (E0920) while the
/// variable is set to anything but a number from 1 to 256 and no count is chosen here.
SUNMAO_API void sunmao_set_threads(uint32_t count);
SUNMAO_API uint32_t sunmao_get_threads(void);

/// Loads an artifact. The file is mapped: it must not be cut short or rewritten in place while loaded (replacing it by
/// renaming another file over it is fine). `options` may be NULL.
SUNMAO_API int sunmao_load(const char* path, const sunmao_load_options* options, sunmao_model** model,
                           sunmao_error* error);

/// Loads an artifact that is in memory. Nothing is copied that need not be: the caller keeps `data` alive and unchanged
/// until the model and all its sessions are freed. With `data` aligned to 64 bytes weights are used where they are.
SUNMAO_API int sunmao_load_memory(const void* data, size_t size, const sunmao_load_options* options,
                                  sunmao_model** model, sunmao_error* error);

/// Gives the model up; its sessions keep what they need. NULL is fine.
SUNMAO_API void sunmao_model_free(sunmao_model* model);

/// The code image in use, such as "x86-64-v4"; empty when loaded without code.
SUNMAO_API const char* sunmao_model_isa(const sunmao_model* model);
/// The text of manifest.json.
SUNMAO_API const char* sunmao_model_manifest(const sunmao_model* model);

/// Writes the weights that the functions of a model take, prepared as they are, to a safetensors file that can be the
/// `weights_path` of a later load. The file appears whole or not at all.
SUNMAO_API int sunmao_model_write_weights(const sunmao_model* model, const char* path, sunmao_error* error);

SUNMAO_API size_t sunmao_function_count(const sunmao_model* model);
/// NULL when there is no function of this index; so too below.
SUNMAO_API const char* sunmao_function_name(const sunmao_model* model, size_t function);
/// The index of the function of this name, or -1.
SUNMAO_API int64_t sunmao_find_function(const sunmao_model* model, const char* name);

/// Inputs are what a caller passes; parameters bound to weights are not among them. 0 for no such function.
SUNMAO_API size_t sunmao_input_count(const sunmao_model* model, size_t function);
SUNMAO_API size_t sunmao_output_count(const sunmao_model* model, size_t function);
/// Fills in *info and returns 0; another number when there is no such function, input or output.
SUNMAO_API int sunmao_input_info(const sunmao_model* model, size_t function, size_t input, sunmao_value_info* info);
SUNMAO_API int sunmao_output_info(const sunmao_model* model, size_t function, size_t output, sunmao_value_info* info);

SUNMAO_API int sunmao_session_create(sunmao_model* model, sunmao_session** session, sunmao_error* error);
/// NULL is fine.
SUNMAO_API void sunmao_session_free(sunmao_session* session);

/// Runs a function; `function` NULL means `main`, or the only function.
///
/// Inputs are used where they are when they are contiguous and aligned to their element size, and copied first when
/// not, or when an output overlaps them.
/// An output whose `data` is NULL is filled in whole, with memory of the session that is good until its next run or its
/// end. Any other output is the caller's memory: dtype and shape must be those of the result, the layout contiguous and
/// aligned to the element size, and the result is written there directly.
/// When a run fails, the contents of the caller's outputs are unspecified.
SUNMAO_API int sunmao_run(sunmao_session* session, const char* function, const DLTensor* inputs, size_t input_count,
                          DLTensor* outputs, size_t output_count, sunmao_error* error);

/// The same, with outputs that live on their own: each is released through its `deleter`, before or after the session.
/// On failure all of `outputs` are NULL.
SUNMAO_API int sunmao_run_managed(sunmao_session* session, const char* function, const DLTensor* inputs,
                                  size_t input_count, DLManagedTensor** outputs, size_t output_count,
                                  sunmao_error* error);

/// For a program that walks the graph level by itself: one kernel of a model's code, by its number. -1 when the model
/// has none of this name.
SUNMAO_API int64_t sunmao_find_kernel(const sunmao_model* model, const char* name);
/// Calls a kernel. `buffers` are the addresses of its tensors, `dims` the values of its symbols, in the order of its
/// signature; how many there are is checked, what they hold is not. Buffers are contiguous and aligned to their element
/// size, and one that is written overlaps no other.
SUNMAO_API int sunmao_run_kernel(sunmao_session* session, int64_t kernel, void* const* buffers, size_t buffer_count,
                                 const int64_t* dims, size_t dim_count, sunmao_error* error);

/// The program of a model as text, for reading. Free it with sunmao_string_free.
SUNMAO_API int sunmao_model_disassemble(const sunmao_model* model, char** text, sunmao_error* error);
/// The same for the bytes of a `program.bin`.
SUNMAO_API int sunmao_program_disassemble(const void* program, size_t size, char** text, sunmao_error* error);
SUNMAO_API void sunmao_string_free(char* text);

#ifdef __cplusplus
}
#endif
#endif  // SUNMAO_RUNTIME_H_
