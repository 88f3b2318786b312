// Conversion of values between a running program and Python: tensors, shapes, numbers, texts, lists, functions.
#pragma once
#include <memory>

#include "bindings/bindings.h"
#include "bindings/host_tensor.h"
#include "eval/host_function.h"
#include "eval/memory.h"

namespace sunmao::python {

/// The Python classes for a program's values: `tensor(native)` wraps a HostTensor in attribute `native`, `shape(sizes)`
/// is a tuple.
struct Faces {
  nb::object tensor, shape;
};
using FacesRef = std::shared_ptr<const Faces>;

/// Converts a Python object. Contiguous arrays share memory and keep the object alive, others are copied; an iterator
/// is consumed into a tuple. E0037 for objects that a program cannot hold.
Value to_value(nb::handle object, const FacesRef& faces);
/// Returns the tensor of an object, itself or its attribute `native`; null when it has none.
const HostTensor* native_tensor(nb::handle object);
/// Lets a program write the tensor `object`, of which `value` was made, if it may be written.
void adopt(nb::handle object, const Value& value, Memory& memory);
/// Converts a value. An array that is all of a Python object yields that object; a function of Python is returned as it
/// is, one of the program as an opaque object.
nb::object from_value(const Value& value, const FacesRef& faces);

}  // namespace sunmao::python
