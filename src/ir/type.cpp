#include "ir/type.h"

#include <algorithm>

#include "ir/dims.h"
#include "ir/expr.h"
#include "support/diagnostic.h"
#include "sym/walk.h"

namespace sunmao {

Ref<VDevice> VDevice::make(std::string target, int id, std::string memory_scope) {
  return Ref<VDevice>(new VDevice(std::move(target), id, std::move(memory_scope)));
}

std::string VDevice::target_kind() const {
  if (!target.starts_with('{')) return target.substr(0, target.find(' '));
  size_t key = target.find("\"kind\"");
  size_t open = key == std::string::npos ? key : target.find('"', target.find(':', key));
  size_t close = open == std::string::npos ? open : target.find('"', open + 1);
  return close == std::string::npos ? target : target.substr(open + 1, close - open - 1);
}

Ref<GlobalInfo> DummyGlobalInfo::make() { return Ref<GlobalInfo>(new DummyGlobalInfo()); }

Type AnyType::make(Span span) { return Type(new AnyType(std::move(span))); }

Type PrimType::make(DType dtype, Span span) { return Type(new PrimType(dtype, nullptr, std::move(span))); }
Type PrimType::of_value(Scalar value, Span span) {
  DType dtype = value->dtype;
  return Type(new PrimType(dtype, std::move(value), std::move(span)));
}

Type ShapeType::make(std::vector<Scalar> values, Span span) {
  int rank = static_cast<int>(values.size());
  return Type(new ShapeType(std::move(values), rank, std::move(span)));
}
Type ShapeType::make_unknown(int rank, Span span) { return Type(new ShapeType(std::nullopt, rank, std::move(span))); }

Type TensorType::make(std::vector<Scalar> dims, DType dtype, Ref<VDevice> vdevice, Span span) {
  check_dims(dims, dtype, span);
  int rank = static_cast<int>(dims.size());
  Expr shape = ShapeExpr::make(std::move(dims), span);
  return Type(new TensorType(std::move(shape), rank, dtype, std::move(vdevice), std::move(span)));
}
Type TensorType::make_with_shape(Expr shape, DType dtype, Ref<VDevice> vdevice, Span span) {
  const auto* type = find<ShapeType>(shape->type);
  SUNMAO_CHECK(type && (find<ShapeExpr>(shape) || find<Var>(shape)),
               "a tensor's shape is a shape expression or variable");
  if (type->values) check_dims(*type->values, dtype, span);
  int rank = type->rank;
  return Type(new TensorType(std::move(shape), rank, dtype, std::move(vdevice), std::move(span)));
}
Type TensorType::make_unknown(DType dtype, int rank, Ref<VDevice> vdevice, Span span) {
  return Type(new TensorType(nullptr, rank, dtype, std::move(vdevice), std::move(span)));
}
const std::vector<Scalar>* TensorType::dims() const {
  if (const auto* written = find<ShapeExpr>(shape)) return &written->values;
  if (const auto* variable = find<Var>(shape))
    if (const auto* type = find<ShapeType>(variable->type); type && type->values) return &*type->values;
  return nullptr;
}

namespace {

// Limit on the parts of a tuple type, where nested parts count once per occurrence, because traversals visit each
// occurrence. Far above what real programs need.
constexpr int kMaxParts = 1 << 17;

// Subtracts the number of parts of a type from `left`, down to 0.
void take_parts(const Type& type, int& left) {
  if (left <= 0) return;
  --left;
  if (const auto* tuple = find<TupleType>(type)) {
    for (const Type& field : tuple->fields) take_parts(field, left);
  } else if (const auto* callable = find<CallableType>(type)) {
    if (callable->params)
      for (const Type& param : *callable->params) take_parts(param, left);
    take_parts(callable->result, left);
  }
}

}  // namespace

Type TupleType::make(std::vector<Type> fields, Span span) {
  int left = kMaxParts;
  for (const Type& field : fields) take_parts(field, left);
  if (left <= 0)
    fail("E0318", span, fmt::format("a tuple has more than {} parts, those of its parts among them", kMaxParts),
         "tuples that hold a tuple twice double at each step");
  return Type(new TupleType(std::move(fields), std::move(span)));
}

Type CallableType::make(std::vector<Type> params, Type result, bool is_pure, Span span) {
  return Type(new CallableType(std::move(params), std::move(result), is_pure, std::move(span)));
}
Type CallableType::make_opaque(Type result, bool is_pure, Span span) {
  return Type(new CallableType(std::nullopt, std::move(result), is_pure, std::move(span)));
}

namespace {

void collect(const Scalar& s, std::vector<Ref<SymVar>>& out) {
  if (!s) return;
  for (const Ref<SymVar>& v : free_symbols(s))
    if (std::ranges::find(out, v) == out.end()) out.push_back(v);
}

void collect(const Type& type, std::vector<Ref<SymVar>>& out) {
  if (!type) return;
  if (const auto* t = find<TensorType>(type)) {
    if (t->dims())
      for (const Scalar& d : *t->dims()) collect(d, out);
  } else if (const auto* s = find<ShapeType>(type)) {
    if (s->values)
      for (const Scalar& d : *s->values) collect(d, out);
  } else if (const auto* p = find<PrimType>(type)) {
    collect(p->value, out);
  } else if (const auto* u = find<TupleType>(type)) {
    for (const Type& f : u->fields) collect(f, out);
  } else if (const auto* c = find<CallableType>(type)) {
    if (c->params)
      for (const Type& p2 : *c->params) collect(p2, out);
    collect(c->result, out);
  }
}

}  // namespace

std::vector<Ref<SymVar>> free_symbols(const Type& type) {
  std::vector<Ref<SymVar>> found;
  collect(type, found);
  return found;
}

}  // namespace sunmao
