#include "ir/op.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {

InferInput::InferInput(const Op& o, std::span<const Expr> a, const Attrs& at, std::span<const Type> ta, Span s)
    : op(o), args(a), attrs(at), type_args(ta), span(std::move(s)) {
  std::vector<const OpParam*> inputs = o.inputs();
  size_t required =
      static_cast<size_t>(std::ranges::count_if(inputs, [](const OpParam* p) { return !p->default_value; }));
  if (a.size() < required || a.size() > inputs.size())
    error("E0202", fmt::format("takes {} arguments, got {}",
                               required == inputs.size() ? fmt::format("{}", required)
                                                         : fmt::format("{} to {}", required, inputs.size()),
                               a.size()));
}

void InferInput::error(const std::string& code, const std::string& message, const std::string& help) const {
  Diagnostic d{
      .code = code, .message = fmt::format("{}: {}", op.name(), message), .span = span, .notes = {}, .help = help};
  std::vector<const OpParam*> inputs = op.inputs();
  for (size_t i = 0; i < args.size() && i < inputs.size(); ++i)
    if (args[i]->type) d.notes.push_back(fmt::format("{}: {}", inputs[i]->name, describe(args[i]->type)));
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
  error("E0203", fmt::format("attribute `{}` must be a bool", name));
}
int64_t InferInput::int_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (const int64_t* i = v.find<int64_t>()) return *i;
  if (const Scalar* s = v.find<Scalar>(); s && find_int(*s)) return *find_int(*s);
  error("E0203", fmt::format("attribute `{}` must be an integer", name));
}
double InferInput::float_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (const double* d = v.find<double>()) return *d;
  if (const int64_t* i = v.find<int64_t>()) return static_cast<double>(*i);
  error("E0203", fmt::format("attribute `{}` must be a number", name));
}
std::string InferInput::string_attr(const std::string& name) const {
  if (const std::string* s = attr(name).find<std::string>()) return *s;
  error("E0203", fmt::format("attribute `{}` must be a string", name));
}
DType InferInput::dtype_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (v.is_none()) return DType::void_();
  if (const DType* t = v.find<DType>()) return *t;
  if (const std::string* s = v.find<std::string>())
    if (std::optional<DType> t = DType::parse(*s)) return *t;
  error("E0203", fmt::format("attribute `{}` must be the name of a dtype", name));
}
std::optional<std::vector<int64_t>> InferInput::ints_attr(const std::string& name) const {
  const AttrValue& v = attr(name);
  if (v.is_none()) return std::nullopt;
  if (auto ints = v.as_ints()) return ints;
  if (const int64_t* one = v.find<int64_t>()) return std::vector{*one};
  error("E0203", fmt::format("attribute `{}` must be a list of integers", name));
}

int InferInput::normalize_axis(int64_t axis, int rank) const {
  if (axis < -rank || axis >= rank)
    error("E0203", fmt::format("axis {} is out of range for rank {}", axis, rank),
          fmt::format("axes are in [{}, {}]", -rank, rank - 1));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

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

void OpTable::add(OpInfo info) {
  Ref<Op> op = Op::make(std::move(info));
  bool inserted = by_name_.emplace(op->name(), op).second;
  SUNMAO_CHECK(inserted, "op {} is registered twice", op->name());
  ops_.push_back(op);
}

Ref<Op> OpTable::find(std::string_view name) const {
  if (name.starts_with("relax.")) name.remove_prefix(6);
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
