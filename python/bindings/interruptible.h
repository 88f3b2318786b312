// Long work of the extension that Ctrl-C interrupts.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "bindings/bindings.h"

namespace sunmao::python {

using IsCancelled = std::function<bool()>;

/// Runs `work` on a thread of its own, without the interpreter's lock, while the calling thread looks for signals. When
/// a handler raises (KeyboardInterrupt), that exception is thrown at once; `IsCancelled` then says so to work that
/// asks, and the interpreter waits at its end until the work has stopped. `work` owns all that it uses.
void run_interruptible(std::function<void(const IsCancelled&)> work);

/// The same for work with a result.
template <class T>
T interruptible(std::function<T(const IsCancelled&)> work) {
  const auto result = std::make_shared<std::optional<T>>();
  run_interruptible(
      [result, work = std::move(work)](const IsCancelled& is_cancelled) { result->emplace(work(is_cancelled)); });
  return std::move(**result);
}

/// Registers what waits for abandoned work when the interpreter ends.
void bind_interruptible(nb::module_& m);

}  // namespace sunmao::python
