/* The same as main.cpp, through the C API: embed model.sunmao x.raw y.raw
 *
 *   cc embed.c $(pkg-config --cflags --libs sunmao) -o embed */
#include <stdio.h>
#include <stdlib.h>
#include <sunmao/runtime.h>

static int give_up(const sunmao_error* error) {
  fprintf(stderr, "%s: %s\n", error->code, error->message);
  if (error->help[0]) fprintf(stderr, "  help: %s\n", error->help);
  return 1;
}

int main(int argc, char** argv) {
  static float data[64 * 16];
  sunmao_model* model = NULL;
  sunmao_session* session = NULL;
  sunmao_error error;
  DLTensor x = {0}, y = {0}; /* y gets memory of the session */
  int64_t shape[2] = {0, 16};
  size_t elements = 1;
  FILE* file = argc == 4 ? fopen(argv[2], "rb") : NULL;
  if (!file) {
    fprintf(stderr, "usage: embed model.sunmao x.raw y.raw\n");
    return 2;
  }
  shape[0] = (int64_t)fread(data, 16 * sizeof(float), 64, file);
  fclose(file);

  if (sunmao_load(argv[1], NULL, &model, &error) || sunmao_session_create(model, &session, &error))
    return give_up(&error);
  x.data = data;
  x.device.device_type = kDLCPU;
  x.dtype.code = kDLFloat;
  x.dtype.bits = 32;
  x.dtype.lanes = 1;
  x.ndim = 2;
  x.shape = shape;
  if (sunmao_run(session, NULL, &x, 1, &y, 1, &error)) return give_up(&error);

  for (int32_t i = 0; i < y.ndim; ++i) elements *= (size_t)y.shape[i];
  file = fopen(argv[3], "wb");
  if (!file || fwrite(y.data, sizeof(float), elements, file) != elements || fclose(file)) return 1;
  sunmao_session_free(session);
  sunmao_model_free(model);
  return 0;
}
