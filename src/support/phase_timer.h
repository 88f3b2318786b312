// PhaseTimer: tells how long a part of a larger work took.
#pragma once
#include <chrono>
#include <functional>

namespace sunmao {

/// Receives the name of a phase and how long it took.
using OnPhase = std::function<void(const char* name, double milliseconds)>;

/// Times the phase from construction to destruction; without receiver it does nothing. The receiver must outlive it.
class PhaseTimer {
 public:
  PhaseTimer(const char* name, const OnPhase& receiver)
      : name_(name), receiver_(receiver), begin_(std::chrono::steady_clock::now()) {}
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;
  ~PhaseTimer() {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin_;
    if (receiver_) receiver_(name_, took.count());
  }

 private:
  const char* const name_;
  const OnPhase& receiver_;
  const std::chrono::steady_clock::time_point begin_;
};

}  // namespace sunmao
