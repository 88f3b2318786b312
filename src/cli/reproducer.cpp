#include "cli/reproducer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "cli/child_process.h"
#include "cli/console.h"
#include "compiler/read_model_file.h"
#include "passes/pass_arguments.h"

namespace sunmao::cli {
namespace {

#ifdef SUNMAO_SANITIZED
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif
constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
// Time limit in seconds, in case writing the reproducer hangs.
constexpr unsigned kSecondsToWrite = 10;
// Size of the alternate signal stack, needed after a stack overflow; the printer needs less.
constexpr size_t kSignalStackBytes = size_t{1} << 20;

struct Watch {
  std::optional<PipelineStep> step;
  Module input;
  std::string flags;
};
Watch* watched = nullptr;
extern "C" void leave_reproducer(int signal) {
  for (int s : kSignals) std::signal(s, SIG_DFL);
  std::signal(SIGALRM, SIG_DFL);
  alarm(kSecondsToWrite);
  if (Watch* w = std::exchange(watched, nullptr); w && w->step)
    write_err(fmt::format("internal error in pass {}: signal {}\n{}\nthis is a bug\n", w->step->pass->name, signal,
                          write_reproducer(*w->step, w->input, w->flags)));
  std::raise(signal);
}

// Installs handlers of fatal signals that write the reproducer, in place of those that libraries such as the linker
// have installed. Does nothing under sanitizers, which report signals themselves.
void catch_signals() {
  if constexpr (kIsSanitized) return;
  static const std::unique_ptr<std::byte[]> memory = std::make_unique<std::byte[]>(kSignalStackBytes);
  stack_t stack{};
  stack.ss_sp = memory.get();
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = leave_reproducer;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int s : kSignals) sigaction(s, &action, nullptr);
}

// Returns the flags of the replay command besides the passes.
std::string flags_of(const RunnerOptions& options, const std::string& target) {
  std::string out;
  if (options.verify_each) out += " --verify=each";
  if (options.validate_each) out += " --validate=each";
  if (options.validate_each && options.validation.seed != 0)
    out += fmt::format(" --validate-seed {}", options.validation.seed);
  return target.empty() ? out : out + " --target " + target;
}

}  // namespace

std::string write_reproducer(const PipelineStep& step, const Module& input, const std::string& flags) {
  if (const char* wanted = std::getenv(kReproducerVariable); wanted && std::string_view(wanted) == "off")
    return "reproducers are turned off";
  const std::string path = fmt::format("sunmao-failure-{}.py", step.pass->name);
  try {
    write_script_file(path, input);
    const std::string passes = shell_quoted(to_text({step.pass, step.arguments})) + flags;
    return fmt::format(
        "what the pass was given is in {}; replay it: sunmao opt {} --passes {}\n"
        "make it small: sunmao reduce {} -- sunmao opt {{}} --passes {}",
        path, path, passes, path, passes);
  } catch (const std::exception& e) {
    return fmt::format("what the pass was given could not be written: {}", e.what());
  }
}

void watch_for_failures(RunnerOptions& options, const std::string& target) {
  auto watch = std::make_shared<Watch>(Watch{{}, {}, flags_of(options, target)});
  catch_signals();
  options.on_begin = [watch](const PipelineStep& step, const Module& input) {
    watch->step = step;
    watch->input = input;
    watched = watch.get();
  };
  options.on_end = [] { watched = nullptr; };
  options.on_failure = [watch] { return write_reproducer(*watch->step, watch->input, watch->flags); };
}

}  // namespace sunmao::cli
