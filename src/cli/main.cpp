#include <pthread.h>
#include <sys/resource.h>

#include "cli/command_line.h"

namespace {

constexpr size_t kStackBytes = size_t{8} << 20;  // what Linux gives by default, and the limits on depth are made for

struct Arguments {
  int count;
  char** values;
  int status = 0;
};

void* run(void* given) {
  auto& arguments = *static_cast<Arguments*>(given);
  arguments.status = sunmao::cli::run_command_line(arguments.count, arguments.values);
  return nullptr;
}

// Runs the command on a thread with a stack of kStackBytes, which threads that it starts have as well; false when there
// is none.
bool run_on_own_stack(Arguments& arguments) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread;
  const bool is_started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                          pthread_setattr_default_np(&attributes) == 0 &&
                          pthread_create(&thread, &attributes, &run, &arguments) == 0;
  pthread_attr_destroy(&attributes);
  return is_started && pthread_join(thread, nullptr) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments{argc, argv};
  rlimit stack{};
  const bool is_small = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kStackBytes;
  if (!is_small || !run_on_own_stack(arguments)) run(&arguments);
  return arguments.status;
}
