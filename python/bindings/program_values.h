// Values of a running program in Python's terms: tensors, shapes, numbers, texts, lists of them, functions.
#pragma once
#include <memory>

#include "bindings/bindings.h"
#include "eval/host_function.h"

namespace sunmao::python {

/// The classes in which Python sees what the program holds: `tensor(native)` has the attribute `native`, `shape(sizes)`
/// is a tuple.
struct Faces {
  nb::object tensor, shape;
};
using FacesRef = std::shared_ptr<const Faces>;

/// Arrays are shared, not copied, and keep the Python object that they came with; an iterator is taken as the tuple of
/// what it gives, which then nobody else holds. E0037 for what a program cannot hold.
Value to_value(nb::handle object, const FacesRef& faces);
/// An array that came from Python comes back as the same object. A program's own function is opaque.
nb::object from_value(const Value& value, const FacesRef& faces);

}  // namespace sunmao::python
