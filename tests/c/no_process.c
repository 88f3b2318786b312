// Checks that loading and running start no process, by running both under a filter that forbids fork and exec. Takes an
// artifact with one input, by default the tiny one of the runtime's tests. Run in the root of the repository.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sunmao/runtime.h"

enum { kMaxRank = 8, kMaxOutputs = 8 };

#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((error) & SECCOMP_RET_DATA))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define REFUSE_CALL(number, error) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), REFUSE(error)

// Threads stay allowed: clone with CLONE_THREAD. clone3 passes its flags in memory, which a filter cannot read, so it
// fails as if not implemented.
static int forbid_processes(void) {
  struct sock_filter rules[] = {
      LOAD(offsetof(struct seccomp_data, nr)),
      REFUSE_CALL(__NR_execve, EPERM),
      REFUSE_CALL(__NR_execveat, EPERM),
      REFUSE_CALL(__NR_fork, EPERM),
      REFUSE_CALL(__NR_vfork, EPERM),
      REFUSE_CALL(__NR_clone3, ENOSYS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
      LOAD(offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
      REFUSE(EPERM),
      ALLOW,
  };
  const struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int report(const sunmao_error* error) {
  fprintf(stderr, "error[%s]: %s\n", error->code, error->message);
  return 1;
}

static int load_and_run(const char* path) {
  sunmao_model* model = NULL;
  sunmao_session* session = NULL;
  sunmao_error error;
  sunmao_value_info info;
  int64_t shape[kMaxRank];
  DLTensor input, outputs[kMaxOutputs];
  if (sunmao_load(path, NULL, &model, &error) != 0) return report(&error);
  if (sunmao_session_create(model, &session, &error) != 0) return report(&error);
  if (sunmao_input_info(model, 0, 0, &info) != 0 || info.ndim > kMaxRank) return 1;
  size_t size = (size_t)((info.dtype.bits + 7) / 8);
  for (int32_t i = 0; i < info.ndim; ++i) {
    shape[i] = info.dims[i].size >= 0 ? info.dims[i].size : info.dims[i].minimum > 1 ? info.dims[i].minimum : 1;
    size *= (size_t)shape[i];
  }
  memset(outputs, 0, sizeof outputs);
  memset(&input, 0, sizeof input);
  input.data = calloc(size ? size : 1, 1);
  input.device.device_type = kDLCPU;
  input.ndim = info.ndim;
  input.dtype = info.dtype;
  input.shape = shape;
  const int failed =
      sunmao_run(session, sunmao_function_name(model, 0), &input, 1, outputs, sunmao_output_count(model, 0), &error);
  if (failed) report(&error);
  free(input.data);
  sunmao_session_free(session);
  sunmao_model_free(model);
  return failed;
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "tests/fuzz/corpus/fuzz_runtime_artifact/tiny.sunmao";
  if (forbid_processes() != 0) {
    fprintf(stderr, "not run: this system lets no program install a filter: %s\n", strerror(errno));
    return 0;
  }
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child > 0) {
    fprintf(stderr, "the filter does not work: fork succeeds\n");
    return 1;
  }
  const int failed = load_and_run(path);
  printf("{\"failed\": %d}\n", failed);
  fflush(stdout);
  _exit(failed);  // skips exit handlers: a leak checker would start a process
}
