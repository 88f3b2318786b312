// ScalarReader for attributes and methods of buffers: shape, strides, offset, pointers, vector loads.
#include "script/scalar_reader.h"
#include "support/diagnostic.h"

namespace sunmao::script {

const Ref<Buffer>* ScalarReader::find_buffer(const PyExpr& e) const {
  if (e.kind == PyKind::Subscript) return scope_.has_parts() ? scope_.find_as<Ref<Buffer>>(unparse(e)) : nullptr;
  return e.kind == PyKind::Name ? scope_.find_as<Ref<Buffer>>(e.text) : nullptr;
}

namespace {

Scalar product(std::span<const Scalar> values) {
  Scalar out = IntImm::make(values.empty() ? DType::int_(32) : values[0]->dtype, 1);
  for (size_t i = 0; i < values.size(); ++i) out = i == 0 ? values[0] : Binary::make(BinaryOp::Mul, out, values[i]);
  return out;
}

std::vector<Scalar> strides_of(const Buffer& b) {
  if (!b.is_dense()) return b.strides;
  std::vector<Scalar> out;
  for (size_t i = 0; i < b.shape.size(); ++i) out.push_back(product(std::span(b.shape).subspan(i + 1)));
  return out;
}

Scalar offset_of(const Buffer& b) { return b.elem_offset ? b.elem_offset : IntImm::make(DType::int_(32), 0); }

}  // namespace

// Returns the scalars of a name for several scalars, of a list in the script, of `A.shape` or `A.strides`, or of a
// list of the host; absent for anything else.
std::optional<std::vector<Scalar>> ScalarReader::several(const PyExpr& e) {
  if (e.kind == PyKind::Name)
    if (const auto* known = scope_.find_as<std::vector<Scalar>>(e.text)) return *known;
  if (e.is_sequence()) return scalars(e);
  if (e.kind == PyKind::Attribute) {
    const Ref<Buffer>* b = find_buffer(*e.items[0]);
    if (b && e.text == "shape") return (*b)->shape;
    if (b && e.text == "strides") return strides_of(**b);
  }
  std::optional<HostValue> value = ask_host(e);
  const AttrValue* attr = value ? std::get_if<AttrValue>(&*value) : nullptr;
  const AttrList* list = attr ? attr->find<AttrList>() : nullptr;
  if (!list) return std::nullopt;
  std::vector<Scalar> out;
  for (const AttrValue& item : *list) out.push_back(from_host(item, e));
  return out;
}

std::vector<Scalar> ScalarReader::unpacked(const PyExpr& starred) {
  if (std::optional<std::vector<Scalar>> found = several(*starred.items[0])) return *found;
  error("E0110", starred, fmt::format("`{}` cannot be unpacked here", unparse(starred)));
}

// Reads a scalar attribute such as `A.data` or `A.elem_offset`; null when there is none of that name.
Scalar ScalarReader::buffer_attribute(const Buffer& b, const PyExpr& e) {
  if (e.text == "data") return b.data;
  if (e.text == "elem_offset") return offset_of(b);
  if (e.text == "ndim") return IntImm::make(defaults_.integer, b.rank(), span(e));
  if (e.text == "offset_factor") return IntImm::make(defaults_.integer, b.offset_factor, span(e));
  if (e.text == "data_alignment") return IntImm::make(defaults_.integer, b.align, span(e));
  return nullptr;
}

// Reads `A.vload([i], "float32x4")`: a load of consecutive elements from `i` on, one for each lane.
Scalar ScalarReader::vector_load(const Ref<Buffer>& b, const PyExpr& call) {
  std::vector<std::string> names{"begin", "dtype", "predicate"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "vload", names);
  if (!given[0]) error("E0108", call, "`vload` needs indices", "write `A.vload([i], \"float32x4\")`");
  std::vector<Scalar> at = vector_indices(*b, *given[0], given[1] ? dtype(*given[1]) : b->dtype);
  if (!at.empty() && at.back()->dtype.lanes * b->dtype.lanes > 4096)
    error("E0110", call, "a vector has at most 4096 lanes");
  return BufferLoad::make_masked(b, std::move(at), mask(given[2]), span(call));
}

Scalar ScalarReader::mask(const PyExpr* predicate) {
  return predicate && !predicate->is_literal("None") ? scalar(*predicate) : nullptr;
}

std::vector<Scalar> ScalarReader::vector_indices(const Buffer& b, const PyExpr& begin, DType type) {
  std::vector<Scalar> at;
  if (begin.is_sequence())
    at = scalars(begin);
  else
    at.push_back(scalar(begin));
  if (at.size() != b.shape.size())
    error("E0116", begin, fmt::format("`{}` has {} dimensions, indexed with {}", b.name, b.shape.size(), at.size()));
  for (const Scalar& i : at)
    if (!i->dtype.is_integral()) error("E0110", begin, fmt::format("an index is an integer, not {}", i->dtype.str()));
  int lanes = type.lanes / std::max<int>(1, b.dtype.lanes);
  if (!at.empty() && (lanes > 1 || type.is_scalable) && !at.back()->dtype.is_vector())
    at.back() = Ramp::make(at.back(), IntImm::make(at.back()->dtype, 1), {lanes, type.is_scalable}, span(begin));
  return at;
}

// Reads `A.access_ptr("r", offset=…)`: a pointer with an access mask.
Scalar ScalarReader::access_pointer(const Buffer& b, const PyExpr& call) {
  std::vector<std::string> names{"access_mask", "ptr_type", "content_lanes", "offset", "extent"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "access_ptr", names);
  if (!given[0]) error("E0108", call, "`access_ptr` needs to say what for", "write `A.access_ptr(\"rw\")`");
  int64_t mask = 0;
  if (given[0]->kind == PyKind::String) {
    for (char c : given[0]->text) {
      if (c != 'r' && c != 'w') error("E0110", *given[0], fmt::format("`{}` is no access", given[0]->text), "r, w, rw");
      mask |= c == 'r' ? 1 : 2;
    }
  } else {
    mask = integer(*given[0], "the access");
  }
  int64_t lanes = given[2] ? integer(*given[2], "`content_lanes`") : 1;
  if (lanes < 1 || lanes > 1024)
    error("E0110", *given[2], fmt::format("a pointer is to 1 to 1024 lanes, got {}", lanes));
  Scalar from = offset_of(b);
  Scalar extent = b.is_dense() ? product(b.shape) : Binary::make(BinaryOp::Mul, b.strides[0], b.shape[0]);
  if (given[3]) {
    Scalar offset = scalar(*given[3]);
    extent = given[4] ? extent : binary(BinaryOp::Sub, extent, offset, call);
    const int64_t* zero = find_int(from);
    from = zero && *zero == 0 ? offset : binary(BinaryOp::Add, from, offset, call);
  }
  if (given[4]) extent = scalar(*given[4]);
  Scalar element = ScalarCall::make("type_annotation", b.dtype.with_lanes(static_cast<int>(lanes)), {}, span(call));
  return ScalarCall::make("tvm_access_ptr", DType::handle(),
                          {element, b.data, from, extent, IntImm::make(DType::int_(32), mask)}, span(call));
}

// Reads a method call on a buffer; null when there is no method of that name.
Scalar ScalarReader::buffer_method(const Ref<Buffer>& b, const PyExpr& call, const std::string& method) {
  if (method == "vload") return vector_load(b, call);
  if (method == "access_ptr" && b->data) return access_pointer(*b, call);
  if (method == "scope") return StringImm::make(b->scope, span(call));
  return nullptr;
}

}  // namespace sunmao::script
