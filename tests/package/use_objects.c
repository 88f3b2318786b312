/* Uses two shared objects of models in one process: use_objects x.raw. `first` is the model mlp, `second` another one
 * with fixed shapes, in which `main` gives (x + 1, x * 2) of x: (2, 3), and `count` counts its calls in a state. */
#include <stdio.h>
#include <string.h>

#include "libfirst.h"
#include "libsecond.h"

static int failures = 0;

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

static void describe(void) {
  EXPECT(FIRST_INPUT_COUNT == 1 && FIRST_OUTPUT_COUNT == 1);
  EXPECT(strcmp(first_inputs[FIRST_IN_X].name, "x") == 0 && strcmp(first_inputs[0].dtype, "float32") == 0);
  EXPECT(first_inputs[0].rank == 2 && first_inputs[0].dims[0].size == -1 && first_inputs[0].dims[0].symbol != NULL);
  EXPECT(first_inputs[0].dims[0].minimum == 1 && first_inputs[0].dims[0].maximum == 64);
  EXPECT(first_inputs[0].dims[1].size == 16 && first_outputs[0].dims[1].size == 3);
  EXPECT(SECOND_IN_X_ELEMENTS == 6 && SECOND_OUTPUT_COUNT == 2 && SECOND_COUNT_INPUT_COUNT == 0);
  EXPECT(SECOND_COUNT_OUTPUT_COUNT == 1 && strcmp(second_outputs_count[0].dtype, "float64") == 0);
}

static void run_first(const float* x) {
  first_session* session = NULL;
  first_session* copy = NULL;
  first_error error;
  float y[3] = {0}, z[3] = {0};
  int64_t shape[2] = {1, 16};
  first_tensor input, output = {NULL, NULL};
  input.data = (void*)x;
  input.shape = shape;
  EXPECT(first_load(&session, &error) == 0);
  first_set_threads(1);
  EXPECT(first_run(session, 1, x, y, &error) == 0);
  EXPECT(first_call(session, &input, &output, &error) == 0);
  EXPECT(output.shape != NULL && output.shape[0] == 1 && output.shape[1] == 3);
  EXPECT(memcmp(output.data, y, sizeof(y)) == 0);
  output.data = z;
  EXPECT(first_call(session, &input, &output, &error) == 0 && output.data == z && memcmp(z, y, sizeof(y)) == 0);

  EXPECT(first_run(session, 65, x, y, &error) != 0 && strcmp(error.code, "E0906") == 0);
  EXPECT(first_run(session, -1, x, y, &error) != 0 && error.code[0] == 'E');
  EXPECT(first_run(session, 1, x, NULL, &error) != 0 && strcmp(error.code, "E0900") == 0);
  EXPECT(strcmp(error.message, "function `main`: output 0 is NULL") == 0);
  EXPECT(strcmp(error.help, "the plain form takes memory of the caller for every input and output") == 0);
  EXPECT(first_run(session, 1, NULL, y, &error) != 0);
  EXPECT(strcmp(error.message, "function `main`: input 0 is NULL") == 0);
  EXPECT(first_run(NULL, 1, x, y, NULL) != 0 && first_call(session, NULL, &output, &error) != 0);
  EXPECT(first_load(NULL, &error) != 0 && strcmp(error.code, "E0900") == 0);

  EXPECT(first_session_copy(session, &copy, &error) == 0);
  first_session_free(session);
  EXPECT(first_run(copy, 1, x, z, &error) == 0 && memcmp(z, y, sizeof(y)) == 0);
  first_session_free(copy);
  first_session_free(NULL);
}

static void run_second(const char* file) {
  second_session* session = NULL;
  second_session* copy = NULL;
  second_error error;
  const float x[6] = {1, 2, 3, 4, 5, 6};
  float sums[6] = {0}, products[6] = {0};
  double count = 0;
  EXPECT(second_load(&session, &error) == 0);
  EXPECT(second_run(session, x, sums, products, &error) == 0);
  EXPECT(sums[0] == 2 && sums[5] == 7 && products[0] == 2 && products[5] == 12);
  EXPECT(second_run_count(session, &count, &error) == 0 && count == 1);
  EXPECT(second_session_save(session, file, &error) == 0);
  EXPECT(second_session_copy(session, &copy, &error) == 0);
  EXPECT(second_session_reset(session, &error) == 0);
  EXPECT(second_run_count(session, &count, &error) == 0 && count == 1);
  EXPECT(second_run_count(copy, &count, &error) == 0 && count == 2);
  EXPECT(second_session_load(copy, file, &error) == 0);
  EXPECT(second_run_count(copy, &count, &error) == 0 && count == 2);
  second_session_free(session);
  second_session_free(copy);
}

int main(int argc, char** argv) {
  float x[16];
  FILE* file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (!file || fread(x, sizeof(float), 16, file) != 16 || fclose(file)) return 2;
  describe();
  run_first(x);
  run_second(argv[2]);
  run_first(x);
  return failures != 0;
}
