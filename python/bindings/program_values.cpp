#include "bindings/program_values.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/host_tensor.h"
#include "bindings/node_caster.h"
#include "ir/expr.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

// Bounds the recursion on self-referential lists.
constexpr int kMaxValueDepth = 100;

// Deleter that releases a Python object under the GIL, on whichever thread. As the owner of an array it also identifies
// the object that the array came from.
struct PythonOwner {
  PyObject* object;
  void operator()(const void*) const {
    if (!nb::is_alive()) return;  // the interpreter has exited
    nb::gil_scoped_acquire lock;
    Py_DECREF(object);
  }
};
std::shared_ptr<const void> own(nb::handle object) { return {object.inc_ref().ptr(), PythonOwner{object.ptr()}}; }

// An object that only functions of Python use.
class PythonObject final : public ProgramObject {
 public:
  explicit PythonObject(nb::handle object) : object_(nb::borrow(object)) {}
  std::string describe() const override { return "object of Python"; }
  nb::handle object() const { return object_; }

 private:
  const nb::object object_;
};

// Wraps an object for a program; it is released under the GIL, on whichever thread.
Value opaque_object(nb::handle object) {
  return std::shared_ptr<ProgramObject>(new PythonObject(object), [](const PythonObject* o) {
    if (!nb::is_alive()) return;
    nb::gil_scoped_acquire lock;
    delete o;
  });
}

class PythonFunction final : public HostFunction {
 public:
  PythonFunction(nb::handle function, FacesRef faces) : function_(nb::borrow(function)), faces_(std::move(faces)) {}
  Value call(ValueTuple args, size_t written) const override;
  nb::handle function() const { return function_; }

 private:
  const nb::object function_;
  const FacesRef faces_;
};

// Wraps a Python function for a program; it is released under the GIL, on whichever thread.
std::shared_ptr<const HostFunction> host_function(nb::handle function, const FacesRef& faces) {
  return {new PythonFunction(function, faces), [](const PythonFunction* f) {
            if (!nb::is_alive()) return;
            nb::gil_scoped_acquire lock;
            delete f;
          }};
}

Value array_of(const HostTensor& tensor, nb::handle object) {
  const Array array = tensor.array();
  if (!tensor.is_contiguous()) return array;
  return Array::wrap(array.dtype(), array.shape(), array.data(), own(object), array.offset());
}

// Returns the Python object that the array's memory belongs to; null when it is not Python's.
nb::handle source_of(const Array& array) {
  const auto* owner = std::get_deleter<PythonOwner>(array.owner());
  return owner ? owner->object : nullptr;
}

// Returns the Python object that the array came from if the array is all of it; else null.
nb::object original(const Array& array) {
  const nb::handle object = source_of(array);
  const HostTensor* tensor = object ? native_tensor(object) : nullptr;
  const bool is_same = tensor && static_cast<const std::byte*>(tensor->data) == array.data() &&
                       tensor->dtype == array.dtype() && tensor->shape == array.shape();
  return is_same ? nb::borrow(object) : nb::object();
}

nb::object tensor_object(const Array& array, const FacesRef& faces, bool is_writable) {
  HostTensor tensor = HostTensor::of(array);
  tensor.is_writable = is_writable;
  return faces->tensor(nb::cast(std::move(tensor)));
}

bool is_writable(const Array& array) {
  const nb::handle object = source_of(array);
  const HostTensor* tensor = object ? native_tensor(object) : nullptr;
  return tensor ? tensor->is_writable : !is_read_only(array);
}

Value PythonFunction::call(ValueTuple args, size_t written) const {
  nb::gil_scoped_acquire lock;
  nb::list given;
  for (size_t i = 0; i < args.size(); ++i)
    given.append(i + written >= args.size() && args[i].array() ? tensor_object(*args[i].array(), faces_, true)
                                                               : from_value(args[i], faces_));
  args.clear();
  const nb::object result = function_(*nb::tuple(std::move(given)));
  return to_value(result, faces_);
}

std::optional<Value> number_or_text(nb::handle object) {
  if (object.is_none()) return Value();
  if (nb::isinstance<nb::bool_>(object)) return Value(int64_t{nb::cast<bool>(object)});
  if (nb::isinstance<nb::int_>(object)) {
    int64_t number = 0;
    if (!nb::try_cast(object, number)) fail("E0037", {}, "an integer of a program has 64 bits");
    return Value(number);
  }
  if (nb::isinstance<nb::float_>(object)) return Value(nb::cast<double>(object));
  if (nb::isinstance<nb::str>(object)) return Value(nb::cast<std::string>(object));
  Scalar scalar;
  if (nb::isinstance<ScalarNode>(object)) scalar = nb::cast<Scalar>(object);
  if (nb::isinstance<ExprNode>(object)) {
    const Expr e = nb::cast<Expr>(object);
    if (const auto* prim = find<PrimValue>(e)) scalar = prim->value;
  }
  if (!scalar) return std::nullopt;
  if (const auto* f = find<FloatImm>(scalar)) return Value(f->value);
  const int64_t* integer = find_int(scalar);
  return integer ? std::optional(Value(*integer)) : std::nullopt;
}

Value to_value(nb::handle object, const FacesRef& faces, int depth) {
  if (depth > kMaxValueDepth) fail("E0037", {}, "lists stand in each other too deeply");
  if (std::optional<Value> simple = number_or_text(object)) return *simple;
  if (nb::isinstance<Value>(object)) return nb::cast<const Value&>(object);
  if (const HostTensor* tensor = native_tensor(object)) return array_of(*tensor, object);
  if (nb::isinstance(object, faces->shape)) return nb::cast<std::vector<int64_t>>(object);
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object) || PyIter_Check(object.ptr())) {
    ValueTuple fields;
    for (nb::handle field : nb::iter(object)) fields.push_back(to_value(field, faces, depth + 1));
    return fields;
  }
  if (nb::hasattr(object, "__array__") || nb::hasattr(object, "__dlpack__") || nb::hasattr(object, "__buffer__")) {
    const nb::object tensor = nb::module_::import_("sunmao.arrays").attr("to_tensor")(object);
    return array_of(*nb::inst_ptr<HostTensor>(tensor), tensor);
  }
  if (nb::hasattr(object, "__sunmao_opaque__")) return opaque_object(object);
  if (PyCallable_Check(object.ptr())) return host_function(object, faces);
  fail("E0037", {}, fmt::format("a {} is no value of a program", nb::type_name(object.type()).c_str()),
       "a program holds tensors, shapes, numbers, texts, functions, and tuples of those");
}

}  // namespace

const HostTensor* native_tensor(nb::handle object) {
  if (nb::isinstance<HostTensor>(object)) return nb::inst_ptr<HostTensor>(object);
  if (!nb::hasattr(object, "native")) return nullptr;
  const nb::object native = object.attr("native");
  return nb::isinstance<HostTensor>(native) ? nb::inst_ptr<HostTensor>(native) : nullptr;
}

Value to_value(nb::handle object, const FacesRef& faces) { return to_value(object, faces, 0); }

void adopt(nb::handle object, const Value& value, Memory& memory) {
  const HostTensor* tensor = native_tensor(object);
  if (tensor && value.array() && tensor->is_writable && tensor->is_contiguous())
    memory.adopt(*value.array(), static_cast<std::byte*>(tensor->data));
}

nb::object from_value(const Value& value, const FacesRef& faces) {
  if (const Array* array = value.array()) {
    nb::object known = original(*array);
    return known.is_valid() ? known : tensor_object(*array, faces, is_writable(*array));
  }
  if (const ShapeValue* shape = value.shape()) return faces->shape(nb::cast(*shape));
  if (const ValueTuple* tuple = value.tuple()) {
    nb::list fields;
    for (const Value& field : *tuple) fields.append(from_value(field, faces));
    return fields;
  }
  if (const auto* i = std::get_if<int64_t>(&value.v)) return nb::cast(*i);
  if (const auto* d = std::get_if<double>(&value.v)) return nb::cast(*d);
  if (const auto* s = std::get_if<std::string>(&value.v)) return nb::cast(*s);
  const std::shared_ptr<const HostFunction> function = value.host_function();
  if (const auto* python = dynamic_cast<const PythonFunction*>(function.get())) return nb::borrow(python->function());
  const std::shared_ptr<ProgramObject> opaque = value.object();
  if (const auto* python = dynamic_cast<const PythonObject*>(opaque.get())) return nb::borrow(python->object());
  return value.closure() || function || opaque ? nb::cast(value) : nb::none();
}

}  // namespace sunmao::python
