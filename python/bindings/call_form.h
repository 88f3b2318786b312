// Calls of functions of the host by the form that stands in a model (sunmao_host_call in include/sunmao/runtime.h).
#pragma once
#include "bindings/host_run.h"

namespace sunmao::python {

/// Calls `function` with what the form says and the call holds, and sets the outputs of the call. E0037 for results
/// that are not those of the form. `run` has the objects.
void call_by_form(const sunmao_host_call& call, const HostFunction& function, HostRun& run);

}  // namespace sunmao::python
