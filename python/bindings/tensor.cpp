// Bindings of Tensor: imports arrays by buffer protocol or DLPack, exports to NumPy and DLPack.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "bindings/host_tensor.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao::python {
namespace {

using AnyArray = nb::ndarray<nb::ro>;

int64_t count(const HostTensor& t) {
  int64_t n = 1;
  for (int64_t d : t.shape) n *= d;
  return n;
}

// Keeps a Python array alive and releases it under the GIL, on whichever thread.
std::shared_ptr<const void> keep(AnyArray array) {
  return {new AnyArray(std::move(array)), [](const AnyArray* a) {
            if (!nb::is_alive()) return;  // the interpreter has exited
            nb::gil_scoped_acquire lock;
            delete a;
          }};
}

size_t element_count(const HostTensor& t) { return static_cast<size_t>(count(t)); }

// Returns zeroed memory of its own.
HostTensor own_memory(DType dtype, std::vector<int64_t> shape, bool writable) {
  ArrayBuilder memory(dtype, std::move(shape));
  std::byte* data = memory.data();
  HostTensor t = HostTensor::of(std::move(memory).finish());
  t.data = data;
  t.is_writable = writable;
  return t;
}

// Packs elements of which NumPy holds each in a byte of its own.
void pack(const HostTensor& bytes, const HostTensor& to) {
  if (!bytes.is_contiguous() || bytes.shape != to.shape || bytes.dtype != DType::uint(8))
    fail("E0034", {}, fmt::format("elements of {} are given as a contiguous array of uint8", to.dtype.str()));
  const auto* from = static_cast<const std::byte*>(bytes.data);
  for (size_t i = 0; i < element_count(to); ++i)
    abi::store_bits(static_cast<std::byte*>(to.data), to.dtype.bits, i, std::to_integer<uint8_t>(from[i]));
}

// Returns the elements of a packed tensor as an array of uint8.
HostTensor unpacked(const HostTensor& t) {
  if (!t.is_contiguous()) fail("E0908", {}, fmt::format("a tensor of {} cannot have strides", t.dtype.str()));
  ArrayBuilder bytes(DType::uint(8), t.shape);
  for (size_t i = 0; i < element_count(t); ++i)
    bytes.as<uint8_t>()[i] = abi::load_bits(static_cast<const std::byte*>(t.data), t.dtype.bits, i);
  HostTensor out = HostTensor::of(std::move(bytes).finish());
  out.is_writable = t.is_writable;
  return out;
}

HostTensor from_array(const AnyArray& array, const std::optional<std::string>& dtype_name, bool writable) {
  HostTensor t;
  t.is_writable = writable;
  const nb::dlpack::dtype given = array.dtype();
  if (given.code == kDLComplex) throw nb::type_error("a tensor holds real numbers");
  t.dtype = DType{static_cast<TypeCode>(given.code), given.bits, given.lanes};
  std::optional<DType> named;
  if (dtype_name) {
    named = DType::parse(*dtype_name);
    if (!named || named->element().bytes() * 8 != given.bits)
      fail("E0034", {}, fmt::format("`{}` is no dtype of {} bits", *dtype_name, given.bits));
    if (!named->is_packed()) t.dtype = *named;
  }
  t.shape.assign(array.shape_ptr(), array.shape_ptr() + array.ndim());
  if (array.stride_ptr()) t.strides.assign(array.stride_ptr(), array.stride_ptr() + array.ndim());
  t.data = array.data_handle();
  t.offset = static_cast<int64_t>(array.byte_offset());
  if (t.offset != 0) t.data = static_cast<std::byte*>(t.data) + t.offset;
  t.device = {static_cast<DLDeviceType>(array.device_type()), array.device_id()};
  t.owner = keep(array);
  if (!named || !named->is_packed()) return t;
  HostTensor own = own_memory(*named, t.shape, writable);
  pack(t, own);
  return own;
}

DType dtype_named(const std::string& name) {
  std::optional<DType> parsed = DType::parse(name);
  if (!parsed)
    fail("E0034", {}, fmt::format("`{}` is no dtype", name), "dtypes are named as in `float32`, `int64`, `bool`");
  return *parsed;
}

// Returns a tensor in a part of the memory of another one.
HostTensor view(const HostTensor& of, std::vector<int64_t> shape, const std::string& dtype_name, int64_t offset) {
  HostTensor t = of;
  t.dtype = dtype_named(dtype_name);
  t.shape = std::move(shape);
  t.strides.clear();
  if (!of.is_contiguous()) fail("E0034", {}, "a view is of contiguous memory", "copy the tensor first");
  const std::optional<int64_t> taken = shape_bytes(t.shape, t.dtype);
  const int64_t there = of.dtype.bytes_of(count(of));
  if (!taken || offset < 0 || *taken > there || offset > there - *taken)
    fail("E0034", {}, fmt::format("a view from byte {} on does not lie within {} bytes", offset, there));
  t.data = static_cast<std::byte*>(of.data) + offset;
  t.offset += offset;
  return t;
}

void assign(const HostTensor& to, const AnyArray& bytes) {
  if (!to.is_writable) fail("E0034", {}, "the tensor's memory cannot be written");
  pack(from_array(bytes, std::nullopt, false), to);
}

// Returns the dtype of an export. NumPy gets types that it lacks as unsigned integers of the same width.
nb::dlpack::dtype exported(DType t, bool is_numpy) {
  const bool is_known = t.is_int() || t.is_uint() || t.code == TypeCode::Float || t.is_bool();
  const auto code = static_cast<uint8_t>(is_known || !is_numpy ? t.code : TypeCode::UInt);
  return {code, t.bits, t.lanes};
}

template <class... Config>
nb::object to_array(const nb::handle& self, bool is_numpy) {
  const auto& t = nb::cast<const HostTensor&>(self);
  std::vector<size_t> shape(t.shape.begin(), t.shape.end());
  const int64_t* strides = t.strides.empty() ? nullptr : t.strides.data();
  nb::ndarray<Config...> out(t.data, shape.size(), shape.data(), self, strides, exported(t.dtype, is_numpy),
                             t.device.device_type, t.device.device_id);
  return nb::cast(out, nb::rv_policy::reference);
}

nb::object to_numpy(nb::handle self) {
  const auto& t = nb::cast<const HostTensor&>(self);
  if (t.dtype.is_packed()) return to_numpy(nb::cast(unpacked(t)));
  return t.is_writable ? to_array<nb::numpy>(self, true) : to_array<nb::numpy, nb::ro>(self, true);
}

nb::object to_dlpack(nb::handle self, const nb::kwargs& options) {
  nb::object array = nb::cast<const HostTensor&>(self).is_writable ? to_array<nb::array_api>(self, false)
                                                                   : to_array<nb::array_api, nb::ro>(self, false);
  return array.attr("__dlpack__")(**options);
}

}  // namespace

HostTensor HostTensor::of(const Array& array) {
  HostTensor t;
  t.dtype = array.dtype();
  t.shape = array.shape();
  const std::byte* start = array.data();
  std::memcpy(&t.data, &start, sizeof(start));  // DLPack has no const
  t.offset = array.offset();
  t.owner = std::make_shared<Array>(array);
  return t;
}

HostTensor HostTensor::fixed(const Array& array) {
  HostTensor t = of(array);
  t.is_fixed = true;
  return t;
}

HostTensor HostTensor::take(DLManagedTensor* tensor) {
  const DLTensor& from = tensor->dl_tensor;
  HostTensor t;
  t.dtype = DType{static_cast<TypeCode>(from.dtype.code), from.dtype.bits, from.dtype.lanes};
  t.shape.assign(from.shape, from.shape + from.ndim);
  if (from.strides) t.strides.assign(from.strides, from.strides + from.ndim);
  t.data = static_cast<std::byte*>(from.data) + from.byte_offset;
  t.offset = static_cast<int64_t>(from.byte_offset);
  t.device = from.device;
  t.is_writable = true;
  t.owner = {tensor, [](DLManagedTensor* p) { p->deleter(p); }};
  return t;
}

bool HostTensor::is_contiguous() const {
  int64_t expected = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return count(*this) == 0;
    expected *= shape[i];
  }
  return true;
}

Array HostTensor::array() const {
  if (device.device_type != kDLCPU)
    fail("E0907", {}, "the array is not in the memory of the CPU", "copy it there first");
  if (is_contiguous()) return Array::wrap(dtype, shape, static_cast<const std::byte*>(data), owner, offset);
  nb::object copied = nb::cast(*this).attr("contiguous")();
  return nb::cast<const HostTensor&>(copied).array();
}

DLTensor HostTensor::view() const {
  DLTensor t;
  std::memset(&t, 0, sizeof(t));
  t.data = data;
  t.device = device;
  t.ndim = static_cast<int32_t>(shape.size());
  t.dtype = {static_cast<uint8_t>(dtype.code), dtype.bits, dtype.lanes};
  const int64_t* sizes = shape.data();
  const int64_t* steps = strides.empty() ? nullptr : strides.data();
  std::memcpy(&t.shape, &sizes, sizeof(sizes));
  std::memcpy(&t.strides, &steps, sizeof(steps));
  return t;
}

void bind_tensor(nb::module_& m) {
  nb::class_<DType>(m, "DType", "The type of one element, by its name in scripts.")
      .def("__init__", [](DType* self, const std::string& name) { new (self) DType(dtype_named(name)); })
      .def("__str__", &DType::str)
      .def("__repr__", [](const DType& t) { return fmt::format("DType(\"{}\")", t.str()); })
      .def(
          "__eq__", [](const DType& a, const DType& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const DType& t) { return nb::hash(nb::str(t.str().c_str())); })
      .def_prop_ro(
          "code", [](const DType& t) { return static_cast<int>(t.code); },
          "The code of the family of types, as DLPack's.")
      .def_ro("bits", &DType::bits)
      .def_ro("lanes", &DType::lanes);

  nb::class_<HostTensor>(m, "Tensor", "A tensor that shares memory with another library's array, or with a result.")
      .def_static(
          "from_array", &from_array, nb::arg("array"), nb::arg("dtype") = nb::none(), nb::arg("writable") = false,
          nb::sig("def from_array(array: typing.Any, dtype: str | None = None, writable: bool = False) -> Tensor"))
      .def_static(
          "empty",
          [](const std::string& dtype, std::vector<int64_t> shape) {
            const DType type = dtype_named(dtype);
            const std::string problem = shape_problem(shape, type);
            if (!problem.empty())
              fail("E0034", {}, fmt::format("no tensor of shape {}: {}", shape_text(shape), problem));
            return own_memory(type, std::move(shape), true);
          },
          nb::arg("dtype"), nb::arg("shape"), "A tensor of zeros.")
      .def("view", &view, nb::arg("shape"), nb::arg("dtype"), nb::arg("offset") = 0,
           "A tensor in the same memory, from a byte of it on.")
      .def_prop_ro("dtype", [](const HostTensor& t) { return t.dtype.str(); })
      .def_prop_ro(
          "shape", [](const HostTensor& t) { return nb::tuple(nb::cast(t.shape)); },
          nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro("is_contiguous", &HostTensor::is_contiguous)
      .def("numpy", &to_numpy, nb::sig("def numpy(self) -> numpy.typing.NDArray[typing.Any]"),
           "The same memory as a NumPy array; dtypes that NumPy lacks come as unsigned integers. Elements of less than "
           "a byte are copied, a byte each.")
      .def("assign", &assign, nb::arg("bytes"), nb::sig("def assign(self, bytes: typing.Any) -> None"),
           "Sets elements of less than a byte from an array of uint8 of the same shape, a byte each.")
      .def("contiguous",
           [](nb::handle self) {
             nb::object copy = nb::module_::import_("numpy").attr("ascontiguousarray")(to_numpy(self));
             return from_array(nb::cast<AnyArray>(copy), nb::cast<const HostTensor&>(self).dtype.str(), true);
           })
      .def("__dlpack__", &to_dlpack, nb::sig("def __dlpack__(self, **options: typing.Any) -> typing.Any"))
      .def(
          "__dlpack_device__",
          [](const HostTensor& t) {
            return nb::make_tuple(static_cast<int>(t.device.device_type), t.device.device_id);
          },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
}

}  // namespace sunmao::python
