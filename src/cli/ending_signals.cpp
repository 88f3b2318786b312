#include "cli/ending_signals.h"

#include <unistd.h>

#include <cstdlib>
#include <iterator>
#include <string_view>

#include "cli/console.h"
#include "io/unfinished_file.h"

namespace sunmao::cli {
namespace {

constexpr int kSignalStatus = 128;         // as shells have it: a status above is the number of a signal
volatile std::sig_atomic_t has_lines = 0;  // standard error is a terminal that may show a line of progress

void write_error(std::string_view text) {
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
}

// Calls what a handler of a signal may call, and nothing else.
extern "C" void end_program(int signal) {
  io::remove_unfinished_files();
  if (has_lines != 0) write_error("\r\x1b[K");
  write_error(signal == SIGINT ? "interrupted\n" : "terminated\n");
  _exit(kSignalStatus + signal);
}

extern "C" void note_limit(int) {}

}  // namespace

EndingSignals::EndingSignals() {
  has_lines = has_progress_lines() ? 1 : 0;
  struct sigaction action{};
  action.sa_handler = end_program;
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < std::size(kEnding); ++i) {
    sigaction(kEnding[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kEnding[i], &action, nullptr);
  }
  struct sigaction limit{};
  limit.sa_handler = note_limit;
  sigaction(SIGXFSZ, &limit, &limit_before_);
}

EndingSignals::~EndingSignals() {
  for (size_t i = 0; i < std::size(kEnding); ++i) sigaction(kEnding[i], &before_[i], nullptr);
  sigaction(SIGXFSZ, &limit_before_, nullptr);
}

}  // namespace sunmao::cli
