// Conversion of statuses, and of the exceptions that say that memory is missing, to the errors of the C API.
#pragma once
#include <new>
#include <stdexcept>

#include "io/status.h"
#include "sunmao/runtime.h"

namespace sunmao::runtime {

/// Describes the status in *error, which may be null; returns 0 when it is ok.
int report(const io::Status& status, sunmao_error* error);
/// E0910: memory was missing. Allocates nothing.
int report_no_memory(sunmao_error* error);

/// Does what a function of the C API is there for, and reports the status of it. Whatever can allocate is called
/// through this: here the exceptions for missing memory end. Others come from functions of the host, and pass.
template <class Body>
int answer(sunmao_error* error, const Body& body) {
  try {
    return report(body(), error);
  } catch (const std::bad_alloc&) {
    return report_no_memory(error);
  } catch (const std::length_error&) {  // more elements than a container can have
    return report_no_memory(error);
  }
}

/// E0900: an argument of a function of the C API is NULL.
io::Status null_argument(const char* function, const char* argument);

}  // namespace sunmao::runtime
