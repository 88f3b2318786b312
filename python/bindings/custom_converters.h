// Converters of the front ends that call Python.
#pragma once
#include <nanobind/nanobind.h>

#include "frontend/custom_converter.h"

namespace sunmao::python {

/// Returns converters, by op, that call these: each takes inputs and attributes, and gives an expression or several.
CustomConverters converters_of(const nanobind::dict& callables);

}  // namespace sunmao::python
