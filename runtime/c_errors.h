// Conversion of statuses to the errors of the C API.
#pragma once
#include "io/status.h"
#include "sunmao/runtime.h"

namespace sunmao::runtime {

/// Describes the status in *error, which may be null; returns 0 when it is ok.
int report(const io::Status& status, sunmao_error* error);

/// E0900: an argument of a function of the C API is NULL.
io::Status null_argument(const char* function, const char* argument);

}  // namespace sunmao::runtime
