// What the program does when a signal ends it.
#pragma once
#include <csignal>

namespace sunmao::cli {

constexpr int kInterrupted = 130;  // as shells say that SIGINT ended a command

/// As long as it exists, SIGINT, SIGTERM and SIGHUP remove unfinished output files, write a line to standard error, and
/// end the program with 128 and the signal's number as its status. Signals that are ignored stay so. A file that grows
/// beyond a limit of the process is an error of writing, and SIGXFSZ ends nothing.
class EndingSignals {
 public:
  EndingSignals();
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

 private:
  static constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[3] = {}, limit_before_ = {};
};

}  // namespace sunmao::cli
