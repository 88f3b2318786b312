// Loads an artifact, runs it once, and prints the results. It needs the runtime library and nothing else.
//
//   run_model model.sunmao [x.raw ...]
//
// Each file has the raw elements of one input, in order; a dimension that is a symbol is worked out from the size of
// the file. Inputs without a file are made up, with symbols as small as they may be.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sunmao/runtime.h"

enum { kMaxInputs = 16, kMaxOutputs = 16, kMaxRank = 16 };

static void fail(const sunmao_error* error) {
  fprintf(stderr, "error[%s]: %s\n", error->code, error->message);
  if (error->help[0] != '\0') fprintf(stderr, "  help: %s\n", error->help);
  exit(1);
}

static void give_up(const char* message, const char* name) {
  fprintf(stderr, "%s: %s\n", name, message);
  exit(1);
}

static size_t element_size(DLDataType type) { return (size_t)((type.bits * type.lanes + 7) / 8); }

// The whole file; *size is its length.
static void* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) give_up("cannot be read", path);
  const long length = ftell(file);
  void* data = length > 0 ? malloc((size_t)length) : NULL;
  rewind(file);
  if (!data || fread(data, 1, (size_t)length, file) != (size_t)length) give_up("cannot be read", path);
  fclose(file);
  *size = (size_t)length;
  return data;
}

// Numbers from -1 to 1 for floats, 0 and 1 for everything else.
static void make_up(void* data, size_t count, DLDataType type) {
  for (size_t i = 0; i < count; ++i) {
    const float value = (float)(i % 17) / 8.0f - 1.0f;
    if (type.code == kDLFloat && type.bits == 32)
      ((float*)data)[i] = value;
    else if (type.code == kDLFloat && type.bits == 64)
      ((double*)data)[i] = value;
    else if (type.code != kDLFloat)
      ((unsigned char*)data)[i * element_size(type)] = (unsigned char)(i % 2);
  }
}

// Fills in `tensor` for the input that `info` describes; `shape` has room for its dimensions.
static void prepare(const sunmao_value_info* info, const char* path, int64_t* shape, DLTensor* tensor) {
  size_t known = element_size(info->dtype), size = 0;
  int32_t free_dim = -1;
  if (info->ndim > kMaxRank) give_up("has too many dimensions for this program", info->name);
  for (int32_t i = 0; i < info->ndim; ++i) {
    const sunmao_dim* dim = &info->dims[i];
    shape[i] = dim->size >= 0 ? dim->size : dim->minimum > 1 ? dim->minimum : 1;
    if (dim->size < 0 && path)
      free_dim = i;  // the last symbol takes what the file has
    else
      known *= (size_t)shape[i];
  }
  memset(tensor, 0, sizeof *tensor);
  tensor->device.device_type = kDLCPU;
  tensor->ndim = info->ndim;
  tensor->dtype = info->dtype;
  tensor->shape = shape;
  if (path) {
    tensor->data = read_file(path, &size);
    if (free_dim >= 0 && known > 0) shape[free_dim] = (int64_t)(size / known);
    if (size % (known ? known : 1) != 0 || (free_dim < 0 && size != known))
      give_up("has another size than the input", path);
  } else {
    tensor->data = calloc(known ? known : 1, 1);
    if (!tensor->data) give_up("no memory", info->name);
    make_up(tensor->data, known / element_size(info->dtype), info->dtype);
  }
}

static void print_tensor(const char* name, const char* dtype, const DLTensor* tensor) {
  size_t count = 1;
  printf("%s %s", name, dtype);
  for (int32_t i = 0; i < tensor->ndim; ++i) {
    printf(" %lld", (long long)tensor->shape[i]);
    count *= (size_t)tensor->shape[i];
  }
  printf("\n");
  for (size_t i = 0; i < count && tensor->dtype.code == kDLFloat && tensor->dtype.bits == 32; ++i)
    printf("%.9g\n", (double)((const float*)tensor->data)[i]);
}

int main(int argc, char** argv) {
  sunmao_model* model = NULL;
  sunmao_session* session = NULL;
  sunmao_error error;
  sunmao_value_info info;
  DLTensor inputs[kMaxInputs], outputs[kMaxOutputs];
  int64_t shapes[kMaxInputs][kMaxRank];
  if (argc < 2) {
    fprintf(stderr, "usage: run_model model.sunmao [x.raw ...]\n");
    return 2;
  }
  if (sunmao_load(argv[1], NULL, &model, &error) != 0) fail(&error);
  if (sunmao_session_create(model, &session, &error) != 0) fail(&error);

  const size_t input_count = sunmao_input_count(model, 0), output_count = sunmao_output_count(model, 0);
  if (input_count > kMaxInputs || output_count > kMaxOutputs)
    give_up("has too many inputs or outputs for this program", argv[1]);
  for (size_t i = 0; i < input_count; ++i) {
    sunmao_input_info(model, 0, i, &info);
    prepare(&info, (int)i + 2 < argc ? argv[i + 2] : NULL, shapes[i], &inputs[i]);
  }
  memset(outputs, 0, sizeof outputs);  // without `data`: the session's memory is used
  if (sunmao_run(session, sunmao_function_name(model, 0), inputs, input_count, outputs, output_count, &error) != 0)
    fail(&error);
  for (size_t i = 0; i < output_count; ++i) {
    sunmao_output_info(model, 0, i, &info);
    print_tensor(info.name, info.dtype_name, &outputs[i]);
  }

  for (size_t i = 0; i < input_count; ++i) free(inputs[i].data);
  sunmao_session_free(session);
  sunmao_model_free(model);
  return 0;
}
