#include "ir/op.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "support/diagnostic.h"
#include "support/spelling.h"
#include "sym/walk.h"

namespace sunmao {

namespace {

// Assumes that symbols in dimensions are not negative.
void assume_dims(const Type& type, Analyzer& analyzer) {
  if (const auto* t = find<TensorType>(type); t && t->dims())
    for (const Scalar& d : *t->dims())
      for (const Ref<SymVar>& s : free_symbols(d)) analyzer.assume(s, {0, Interval::kMax});
  if (const auto* t = find<TupleType>(type))
    for (const Type& f : t->fields) assume_dims(f, analyzer);
}

// True for types that no op accepts as a tensor; some ops accept scalars and values of unknown type.
bool is_no_tensor(const Expr& e) {
  return find<TupleType>(e->type) || find<ShapeType>(e->type) || find<CallableType>(e->type);
}

// Returns the kind of an attribute value for error messages, such as "an integer".
const char* kind_of(const AttrValue& v) {
  static constexpr const char* kKinds[] = {
      "None",          "a bool", "an integer",       "a number",         "a string", "a dtype", "a scalar",
      "an expression", "a type", "a device or mesh", "a map of indices", "a list",   "a dict"};
  static_assert(std::size(kKinds) == std::variant_size_v<AttrValue::Variant>);
  return kKinds[v.variant().index()];
}

// Rejects attribute values of another kind than the record states, even if inference does not use them.
void check_kind(const InferInput& in, const OpParam& p) {
  const AttrValue* v = in.attrs.find(p.name);
  if (!v) return;
  bool may_be_none =
      (p.attr != AttrKind::Bool && p.attr != AttrKind::Float) || (p.default_value && p.default_value->is_none());
  if (v->is_none() && may_be_none) return;
  switch (p.attr) {
    case AttrKind::Bool: in.bool_attr(p.name); break;
    case AttrKind::Int: in.int_attr(p.name); break;
    case AttrKind::Float: in.float_attr(p.name); break;
    case AttrKind::String: in.string_attr(p.name); break;
    case AttrKind::DType: in.dtype_attr(p.name); break;
    case AttrKind::Ints: in.ints_attr(p.name); break;
    case AttrKind::Any: break;
  }
}

}  // namespace

InferInput::InferInput(const Op& o, std::span<const Expr> a, const Attrs& at, std::span<const Type> ta, Span s,
                       std::vector<SizeDemand>* demands)
    : op(o), args(a), attrs(at), type_args(ta), span(std::move(s)), demands_(demands) {
  for (const Expr& e : a) assume_dims(e->type, *analyzer_);
  std::vector<const OpParam*> inputs = o.inputs();
  size_t required =
      static_cast<size_t>(std::ranges::count_if(inputs, [](const OpParam* p) { return !p->default_value; }));
  if (o.is_variadic()) {
    if (a.size() + 1 < inputs.size())
      error("E0202", fmt::format("takes at least {} arguments, got {}", inputs.size() - 1, a.size()));
  } else if (a.size() < required || a.size() > inputs.size()) {
    error("E0202", fmt::format("takes {} arguments, got {}",
                               required == inputs.size() ? fmt::format("{}", required)
                                                         : fmt::format("{} to {}", required, inputs.size()),
                               a.size()));
  }
  for (size_t i = 0; i < a.size() && i < inputs.size(); ++i)
    if (inputs[i]->kind == ParamKind::Tensor && is_no_tensor(a[i]) && (has(i) || !inputs[i]->default_value)) tensor(i);
  for (const OpParam& p : o.info.params)
    if (p.kind == ParamKind::Attr) check_kind(*this, p);
}

bool InferInput::can_agree(const Scalar& value, const Scalar& expected) const {
  if (analyzer_->can_prove_equal(value, expected)) return true;
  if (analyzer_->can_prove(Binary::make(BinaryOp::Ne, value, expected))) return false;
  if (demands_) demands_->push_back({value, expected});
  return true;
}

bool InferInput::can_repeat(const Scalar& value, const Scalar& target) const {
  const Scalar one = int_imm(1);
  if (analyzer_->can_prove_equal(value, one) || analyzer_->can_prove_equal(value, target)) return true;
  const auto differs_from = [&](const Scalar& other) {
    return analyzer_->can_prove(Binary::make(BinaryOp::Ne, value, other));
  };
  const bool is_several = differs_from(one);
  if (is_several && differs_from(target)) return false;
  if (is_several) return can_agree(value, target);
  if (demands_)
    demands_->push_back(
        {Select::make(Binary::make(BinaryOp::Eq, value, one), target, value), target, /*is_relation=*/true});
  return true;
}

bool InferInput::can_reach(const Scalar& value, const Scalar& least) const {
  const Proof proof = analyzer_->prove(Binary::make(BinaryOp::Ge, value, least));
  if (proof == Proof::Unknown && demands_) {
    const std::vector<Ref<SymVar>> of_least = free_symbols(least);
    const bool grows = std::ranges::any_of(
        free_symbols(value), [&](const Ref<SymVar>& s) { return std::ranges::find(of_least, s) != of_least.end(); });
    demands_->push_back({Binary::make(BinaryOp::Max, value, least), value, /*is_relation=*/grows});
  }
  return proof != Proof::No;
}

bool InferInput::has(size_t i) const {
  if (i >= args.size()) return false;
  const auto* tuple = sunmao::find<sunmao::Tuple>(args[i]);
  return !tuple || !tuple->fields.empty();
}

void InferInput::error(const std::string& code, const std::string& message, const std::string& help) const {
  Diagnostic d{
      .code = code, .message = fmt::format("{}: {}", op.name(), message), .span = span, .notes = {}, .help = help};
  std::vector<const OpParam*> inputs = op.inputs();
  for (size_t i = 0; i < args.size() && !inputs.empty(); ++i)
    if (args[i]->type)
      d.notes.push_back(fmt::format("{}: {}", inputs[std::min(i, inputs.size() - 1)]->name, describe(args[i]->type)));
  fail(std::move(d));
}

const TensorType& InferInput::tensor(size_t i) const {
  if (const auto* t = sunmao::find<TensorType>(args[i]->type)) return *t;
  error("E0201", fmt::format("`{}` must be a tensor, got {}", op.inputs()[i]->name, describe(args[i]->type)));
}

const TupleType& InferInput::tuple(size_t i) const {
  if (const auto* t = sunmao::find<TupleType>(args[i]->type)) return *t;
  error("E0201", fmt::format("`{}` must be a tuple, got {}", op.inputs()[i]->name, describe(args[i]->type)));
}

const ShapeType& InferInput::shape(size_t i) const {
  if (const auto* t = sunmao::find<ShapeType>(args[i]->type)) {
    for (size_t k = 0; t->values && k < t->values->size(); ++k)
      if (const int64_t* n = find_int((*t->values)[k]); n && *n < 0)
        error("E0203", fmt::format("a dimension of `{}` cannot be {}", op.inputs()[i]->name, *n));
    return *t;
  }
  error("E0201", fmt::format("`{}` must be a shape, got {}", op.inputs()[i]->name, describe(args[i]->type)));
}

std::vector<const TensorType*> InferInput::tensors(size_t i) const {
  if (const auto* t = sunmao::find<TensorType>(args[i]->type)) return {t};
  std::vector<const TensorType*> out;
  for (const Type& field : tuple(i).fields) {
    const auto* t = sunmao::find<TensorType>(field);
    if (!t) error("E0201", fmt::format("`{}` must hold tensors, got {}", op.inputs()[i]->name, describe(field)));
    out.push_back(t);
  }
  return out;
}

const AttrValue& InferInput::attr(const std::string& name) const {
  if (const AttrValue* v = attrs.find(name)) return *v;
  const OpParam* p = op.find_param(name);
  SUNMAO_CHECK(p, "{} has no attribute {}", op.name(), name);
  if (!p->default_value) error("E0203", fmt::format("attribute `{}` is missing", name), p->doc);
  return *p->default_value;
}

bool InferInput::bool_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (const bool* b = v.find<bool>()) return *b;
  if (const int64_t* i = v.find<int64_t>()) return *i != 0;
  error("E0203", fmt::format("attribute `{}` must be a bool, got {}", name, kind_of(v)));
}
int64_t InferInput::int_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (const int64_t* i = v.find<int64_t>()) return *i;
  if (const Scalar* s = v.find<Scalar>(); s && find_int(*s)) return *find_int(*s);
  error("E0203", fmt::format("attribute `{}` must be an integer, got {}", name, kind_of(v)));
}
double InferInput::float_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (const double* d = v.find<double>()) return *d;
  if (const int64_t* i = v.find<int64_t>()) return static_cast<double>(*i);
  error("E0203", fmt::format("attribute `{}` must be a number, got {}", name, kind_of(v)));
}
std::string InferInput::string_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (const std::string* s = v.find<std::string>()) return *s;
  error("E0203", fmt::format("attribute `{}` must be a string, got {}", name, kind_of(v)));
}
DType InferInput::dtype_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (v.is_none()) return DType::void_();
  if (const DType* t = v.find<DType>()) return *t;
  if (const std::string* s = v.find<std::string>())
    if (std::optional<DType> t = DType::parse(*s)) return *t;
  error("E0203", fmt::format("attribute `{}` must be the name of a dtype, got {}", name, kind_of(v)));
}
std::optional<std::vector<int64_t>> InferInput::ints_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (v.is_none()) return std::nullopt;
  if (auto ints = v.as_ints()) return ints;
  if (const int64_t* one = v.find<int64_t>()) return std::vector{*one};
  error("E0203", fmt::format("attribute `{}` must be a list of integers, got {}", name, kind_of(v)));
}

int InferInput::normalize_axis(int64_t axis, int rank) const {
  if (axis < -rank || axis >= rank)
    error("E0203", fmt::format("axis {} is out of range for rank {}", axis, rank),
          fmt::format("axes are in [{}, {}]", -rank, rank - 1));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

namespace {

// Returns the plain value of a literal: R.prim_value(1), R.str("x"), R.dtype("int8").
AttrValue unwrapped(AttrValue v) {
  if (const Expr* e = v.find<Expr>(); e && *e) {
    if (const auto* p = find<PrimValue>(*e)) return unwrapped(AttrValue(p->value));
    if (const auto* s = find<StringLiteral>(*e)) return AttrValue(s->value);
    if (const auto* t = find<DTypeLiteral>(*e)) return AttrValue(t->value);
  }
  if (const Scalar* s = v.find<Scalar>(); s && *s) {
    if (const auto* f = find<FloatImm>(*s)) return AttrValue(f->value);
    if (const auto* i = find<IntImm>(*s)) return i->dtype.is_bool() ? AttrValue(i->value != 0) : AttrValue(i->value);
  }
  return v;
}

AttrValue as_dtype(AttrValue v) {
  if (const DType* t = v.find<DType>()) return t->is_void() ? AttrValue() : v;
  if (const Type* type = v.find<Type>()) {
    const auto* prim = find<PrimType>(*type);
    return prim ? AttrValue(prim->dtype) : v;
  }
  const std::string* s = v.find<std::string>();
  if (!s) return v;
  if (s->empty() || *s == "void") return {};
  std::optional<DType> t = DType::parse(*s);
  return t ? AttrValue(*t) : v;
}

// Converts a value to the attribute's kind; one that cannot be converted is left for inference to reject.
AttrValue converted(AttrValue v, AttrKind kind) {
  if (kind == AttrKind::Any || v.is_none()) return v;
  v = unwrapped(std::move(v));
  const int64_t* i = v.find<int64_t>();
  switch (kind) {
    case AttrKind::Float: return i ? AttrValue(static_cast<double>(*i)) : v;
    case AttrKind::Bool: return i ? AttrValue(*i != 0) : v;
    case AttrKind::DType: return as_dtype(std::move(v));
    case AttrKind::Ints: {
      if (i) return AttrValue::ints({*i});
      const AttrList* list = v.find<AttrList>();
      if (!list) return v;
      AttrList out;
      for (const AttrValue& item : *list) out.push_back(unwrapped(item));
      return AttrValue(std::move(out));
    }
    default: return v;
  }
}

bool is_absent(const Expr& e) {
  const auto* tuple = find<Tuple>(e);
  return tuple && tuple->fields.empty();
}

// Returns the placeholder for an omitted argument: the literal of a numeric default, else an empty tuple.
Expr stand_in(const AttrValue& v) {
  if (const bool* b = v.find<bool>()) return PrimValue::make(IntImm::make(DType::bool_(), *b));
  if (const int64_t* i = v.find<int64_t>()) return PrimValue::make(int_imm(*i));
  if (const double* d = v.find<double>()) return PrimValue::make(FloatImm::make(DType::float_(32), *d));
  return Tuple::make({});
}

void fill_arguments(const Op& op, std::vector<Expr>& args) {
  if (op.is_variadic()) return;
  size_t i = 0, wanted = 0;
  for (const OpParam& p : op.info.params)
    if (p.kind != ParamKind::Attr && (++i <= args.size() || (p.default_value && !p.default_value->is_none())))
      wanted = i;
  i = 0;
  for (const OpParam& p : op.info.params) {
    if (p.kind == ParamKind::Attr || i++ >= wanted) continue;
    bool is_given = i <= args.size();
    if (!is_given && !p.default_value) return;
    if (is_given && !(p.default_value && !p.default_value->is_none() && is_absent(args[i - 1]))) continue;
    if (is_given)
      args[i - 1] = stand_in(*p.default_value);
    else
      args.push_back(stand_in(*p.default_value));
  }
}

}  // namespace

Ref<Op> Op::make(OpInfo info) {
  SUNMAO_CHECK(info.infer && !info.name.empty(), "op {} lacks inference", info.name);
  return Ref<Op>(new Op(std::move(info)));
}

std::vector<const OpParam*> Op::inputs() const {
  std::vector<const OpParam*> out;
  for (const OpParam& p : info.params)
    if (p.kind != ParamKind::Attr) out.push_back(&p);
  return out;
}

const OpParam* Op::find_param(const std::string& name) const {
  for (const OpParam& p : info.params)
    if (p.name == name) return &p;
  return nullptr;
}

bool Op::is_variadic() const {
  return std::ranges::any_of(
      info.params, [](const OpParam& p) { return p.kind == ParamKind::Variadic || p.kind == ParamKind::List; });
}

Attrs Op::complete(std::vector<Expr>& args, const Attrs& attrs) const {
  fill_arguments(*this, args);
  AttrMap map = attrs.values();
  for (const OpParam& p : info.params) {
    if (p.kind != ParamKind::Attr) continue;
    auto it = map.find(p.name);
    if (it != map.end())
      it->second = converted(std::move(it->second), p.attr);
    else if (p.default_value)
      map.emplace(p.name, converted(*p.default_value, p.attr));
  }
  if (info.canonical) info.canonical(args, map);
  bool same =
      map.size() == attrs.values().size() && std::ranges::equal(map, attrs.values(), [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.same_plain(b.second);
      });
  return same ? attrs : Attrs(std::move(map));
}

void OpTable::add(OpInfo info) {
  Ref<Op> op = Op::make(std::move(info));
  bool inserted = by_name_.emplace(op->name(), op).second;
  SUNMAO_CHECK(inserted, "op {} is registered twice", op->name());
  ops_.push_back(op);
}

Ref<Op> OpTable::find(std::string_view name) const {
  if (name.starts_with("relax.")) name.remove_prefix(6);
  constexpr std::string_view kLong = "distributed.";  // Python's long form of `dist.`
  if (name.starts_with(kLong)) return find("dist." + std::string(name.substr(kLong.size())));
  auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? nullptr : it->second;
}

Ref<Op> OpTable::get(std::string_view name, Span span) const {
  if (Ref<Op> op = find(name)) return op;
  std::vector<std::string> names;
  for (const Ref<Op>& op : ops_) names.push_back(op->name());
  fail("E0204", std::move(span), fmt::format("unknown op `{}`", name), did_you_mean(name, names));
}

const Call* find_call(const Expr& e, std::string_view op_name) {
  const auto* call = find<Call>(e);
  const Op* op = call ? op_of(*call) : nullptr;
  return op && op->name() == op_name ? call : nullptr;
}

}  // namespace sunmao
