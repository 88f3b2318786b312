/* Loads the shared object of a model with little memory, again and again with a little more: each time it loads, or
 * says that memory is missing (E0910), which the runtime mostly learns from an exception of C++. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfirst.h"

enum { kLoaded = 0, kMissing = 3, kBlock = 512, kMostBlocks = 1 << 16 };

static void* blocks[kMostBlocks];

/* Loads the model where the heap has `count` blocks left, one after another, and cannot grow. */
static int load_with(int count) {
  first_session* session = NULL;
  first_error error;
  struct rlimit limit = {0, 0};
  int i, taken = 0;
  for (i = 0; i < count; ++i) blocks[i] = malloc(kBlock);
  if (setrlimit(RLIMIT_AS, &limit)) return 1;
  while (malloc(kBlock)) ++taken;
  while (malloc(16)) ++taken;
  for (i = 0; i < count; ++i) free(blocks[i]);
  if (first_load(&session, &error) == 0) return kLoaded;
  return session == NULL && strcmp(error.code, "E0910") == 0 && taken > 0 ? kMissing : 1;
}

int main(void) {
  int missing = 0, count;
  for (count = 0; count < 400; count += count < 40 ? 1 : 10) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) _exit(load_with(count));
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 1;
    missing += WEXITSTATUS(status) == kMissing;
    if (WEXITSTATUS(status) != kLoaded && WEXITSTATUS(status) != kMissing) return 1;
  }
  printf("%d missing\n", missing);
  return missing < 40;
}
