// Builtins: functions of the host that every program in Python has.
#pragma once
#include <memory>
#include <string>

#include "eval/host_function.h"

namespace sunmao::python {

/// Returns the builtin of that name: those of the virtual machine, and what `box-objects` calls; null for other names.
std::shared_ptr<const HostFunction> find_program_builtin(const std::string& name);

}  // namespace sunmao::python
