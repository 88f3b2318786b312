// Turn: at most one caller at a time uses a session.
#pragma once
#include <atomic>

#include "io/status.h"

namespace sunmao::runtime {

/// RAII: marks a session as busy for the duration of one run; `check` fails (E0916) when it was busy before.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& flag) : flag_(flag), is_mine_(!flag.exchange(true, std::memory_order_acquire)) {}
  ~Turn() {
    if (is_mine_) flag_.store(false, std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  io::Status check() const {
    if (is_mine_) return {};
    return io::Status::error("E0916", "this session is running already", "use one session for each concurrent caller");
  }

 private:
  std::atomic<bool>& flag_;
  const bool is_mine_;
};

}  // namespace sunmao::runtime
