/* The same again with the model inside a shared object: object x.raw y.raw
 *
 *   sunmao compile mlp.onnx --emit=so -o libmlp.so
 *   cc -std=c99 object.c -L. -lmlp -o object */
#include <stdio.h>

#include "libmlp.h"

int main(int argc, char** argv) {
  static float x[64 * 16], y[64 * 3];
  mlp_session* session = NULL;
  mlp_error error;
  size_t rows;
  FILE* file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (!file) {
    fprintf(stderr, "usage: object x.raw y.raw\n");
    return 2;
  }
  rows = fread(x, 16 * sizeof(float), 64, file);
  fclose(file);

  /* The input is (batch, 16), the output (batch, 3): the plain form takes the size, then both addresses. */
  if (mlp_load(&session, &error) || mlp_run(session, (int64_t)rows, x, y, &error)) {
    fprintf(stderr, "%s: %s\n", error.code, error.message);
    return 1;
  }

  file = fopen(argv[2], "wb");
  if (!file || fwrite(y, 3 * sizeof(float), rows, file) != rows || fclose(file)) return 1;
  mlp_session_free(session);
  return 0;
}
