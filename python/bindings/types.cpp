// Bindings for reading types and global infos.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/node_caster.h"
#include "script/print.h"

namespace sunmao::python {
namespace {

void bind_global_infos(nb::module_& m) {
  nb::class_<GlobalInfo>(m, "GlobalInfo", "What a module says of the world around it.");
  nb::class_<VDevice, GlobalInfo>(m, "VDevice", "A virtual device.")
      .def_ro("target", &VDevice::target)
      .def_ro("id", &VDevice::id)
      .def_ro("memory_scope", &VDevice::memory_scope);
  nb::class_<DummyGlobalInfo, GlobalInfo>(m, "DummyGlobalInfo", "A global info that carries nothing.");
}

}  // namespace

void bind_types(nb::module_& m) {
  bind_global_infos(m);
  nb::class_<TypeNode>(m, "Type", "What is known of a value before it is computed.")
      .def_prop_ro(
          "span", [](const TypeNode& t) { return t.span; }, nb::sig("def span(self) -> Span | None"),
          "Where it comes from.")
      .def("__repr__", [](const Type& t) { return print(t); });
  nb::class_<AnyType, TypeNode>(m, "AnyType", "Nothing is known.");
  nb::class_<PrimType, TypeNode>(m, "PrimType", "A scalar.")
      .def_prop_ro("dtype", [](const PrimType& t) { return t.dtype.str(); })
      .def_prop_ro("value", [](const PrimType& t) { return t.value; }, nb::sig("def value(self) -> Scalar | None"));
  nb::class_<ShapeType, TypeNode>(m, "ShapeType", "A shape.")
      .def_ro("values", &ShapeType::values)
      .def_ro("ndim", &ShapeType::rank);
  nb::class_<TensorType, TypeNode>(m, "TensorType", "A tensor; `shape` is None and `ndim` -1 where they are not known.")
      .def_prop_ro(
          "shape", [](const TensorType& t) { return t.shape; }, nb::sig("def shape(self) -> Expr | None"))
      .def_prop_ro("dtype", [](const TensorType& t) { return t.dtype.str(); })
      .def_prop_ro(
          "vdevice", [](const TensorType& t) { return t.vdevice; }, nb::sig("def vdevice(self) -> VDevice | None"))
      .def_ro("ndim", &TensorType::rank);
  nb::class_<TupleType, TypeNode>(m, "TupleType", "A tuple.").def_ro("fields", &TupleType::fields);
  nb::class_<CallableType, TypeNode>(m, "CallableType", "A function; `params` is None where its result alone is known.")
      .def_ro("params", &CallableType::params)
      .def_ro("result", &CallableType::result)
      .def_ro("is_pure", &CallableType::is_pure);
}

}  // namespace sunmao::python
