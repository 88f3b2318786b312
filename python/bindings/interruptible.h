// Runs long operations such that Ctrl-C interrupts them.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "bindings/bindings.h"

namespace sunmao::python {

using IsCancelled = std::function<bool()>;

/// Runs `work` on a thread without the GIL, while the calling thread handles signals. When a signal handler raises
/// (KeyboardInterrupt), that exception is thrown at once, `IsCancelled` returns true in `work`, and the interpreter
/// waits at exit until `work` has stopped. `work` must own all data that it uses.
void run_interruptible(std::function<void(const IsCancelled&)> work);

/// Runs work that has a result; see run_interruptible.
template <class T>
T interruptible(std::function<T(const IsCancelled&)> work) {
  const auto result = std::make_shared<std::optional<T>>();
  run_interruptible(
      [result, work = std::move(work)](const IsCancelled& is_cancelled) { result->emplace(work(is_cancelled)); });
  return std::move(**result);
}

/// Registers the exit handler that waits for abandoned work.
void bind_interruptible(nb::module_& m);

}  // namespace sunmao::python
