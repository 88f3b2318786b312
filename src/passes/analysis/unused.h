// Removal of unused bindings.
#pragma once
#include "ir/walk.h"

namespace sunmao {

/// Returns a function or sequence without the bindings whose variables are unused, transitively. Bindings that have an
/// effect, define symbols or check a shape at run time are kept. `module` provides the purity of functions; when null,
/// calls of them count as impure. Returns the same pointer when nothing is removed.
Expr remove_all_unused(const Expr& e, const Module* module = nullptr);
/// Returns the module with results of any type where nothing uses the result of a pure call of a function of the host
/// (`call_pure_packed`) or of a parameter, which becomes such a call: it may be made for what it does, and return
/// nothing. The same module when there is none.
Module open_unused_host_calls(const Module& module);

/// Like `map_functions`; the unused bindings of the functions that `f` changes are removed.
template <class F>
Module map_without_unused(const Module& module, F f) {
  return map_functions(module, [&](const Ref<Function>& function) {
    const Ref<Function> changed = f(function);
    return changed == function ? function : find_ref<Function>(remove_all_unused(Expr(changed), &module));
  });
}

}  // namespace sunmao
