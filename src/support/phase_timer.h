// PhaseTimer: tells how long a part of a larger work took.
#pragma once
#include <chrono>
#include <functional>

namespace sunmao {

/// Receives the name of a phase and how long it took.
using OnPhase = std::function<void(const char* name, double milliseconds)>;

/// Receives how far a phase has got: `done` of `all` steps. Called often, from the thread that began the work.
using OnProgress = std::function<void(const char* name, size_t done, size_t all)>;

/// Times the phase from construction to destruction, without the phases inside it on the same thread; without receiver
/// it does nothing. The receiver must outlive it.
class PhaseTimer {
 public:
  PhaseTimer(const char* name, const OnPhase& receiver)
      : name_(name), receiver_(receiver), before_(inside_), begin_(std::chrono::steady_clock::now()) {
    if (receiver_) inside_ = {};
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;
  ~PhaseTimer() {
    if (!receiver_) return;
    const Milliseconds took = std::chrono::steady_clock::now() - begin_;
    receiver_(name_, (took - inside_).count());
    inside_ = before_ + took;
  }

 private:
  using Milliseconds = std::chrono::duration<double, std::milli>;
  inline static thread_local Milliseconds inside_{};  // the time of phases that ended inside the one that runs

  const char* const name_;
  const OnPhase& receiver_;
  const Milliseconds before_;  // of the phase around this one
  const std::chrono::steady_clock::time_point begin_;
};

}  // namespace sunmao
