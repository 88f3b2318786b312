#include "ir/equal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "ir/op.h"
#include "ir/type_relation.h"
#include "sym/index_map.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

bool equal_types(const std::vector<Type>& a, const std::vector<Type>& b, Equality& eq) {
  if (a.size() != b.size()) return eq.differ(fmt::format("{} types against {}", a.size(), b.size()));
  for (size_t i = 0; i < a.size(); ++i) {
    Equality::Step step(eq, fmt::format("[{}]", i));
    if (!equal(a[i], b[i], eq)) return false;
  }
  return true;
}

bool equal_exprs(const std::vector<Expr>& a, const std::vector<Expr>& b, Equality& eq) {
  if (a.size() != b.size()) return eq.differ(fmt::format("{} expressions against {}", a.size(), b.size()));
  for (size_t i = 0; i < a.size(); ++i) {
    Equality::Step step(eq, fmt::format("[{}]", i));
    if (!equal(a[i], b[i], eq)) return false;
  }
  return true;
}

bool equal_info(const Ref<GlobalInfo>& a, const Ref<GlobalInfo>& b, Equality& eq) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind) return eq.differ("different devices");
  const auto *x = find<VDevice>(a), *y = find<VDevice>(b);
  if (!x) return true;
  return same_device(*x, *y) || eq.differ(fmt::format("device {}:{}:{} against {}:{}:{}", x->target, x->id,
                                                      x->memory_scope, y->target, y->id, y->memory_scope));
}

bool equal_value(const AttrValue& a, const AttrValue& b, Equality& eq);

bool equal_map(const AttrMap& a, const AttrMap& b, Equality& eq) {
  if (a.size() != b.size()) return eq.differ(fmt::format("{} attributes against {}", a.size(), b.size()));
  for (const auto& [name, value] : a) {
    Equality::Step step(eq, "." + name);
    auto other = b.find(name);
    if (other == b.end()) return eq.differ("only on one side");
    if (!equal_value(value, other->second, eq)) return false;
  }
  return true;
}

// Returns the value of an attribute that is an integer or an integer immediate, which compare by value; else null.
const int64_t* int_of(const AttrValue& v) {
  if (const int64_t* i = v.find<int64_t>()) return i;
  const Scalar* s = v.find<Scalar>();
  return s ? find_int(*s) : nullptr;
}

std::vector<Scalar> outputs_of(const IndexMap& map, const std::vector<Ref<SymVar>>& inputs) {
  Substitution names;
  for (size_t i = 0; i < inputs.size(); ++i) names.emplace(map.inputs[i], inputs[i]);
  std::vector<Scalar> out;
  for (const Scalar& o : map.outputs) out.push_back(substitute(o, names));
  return out;
}

bool equal_value(const AttrValue& a, const AttrValue& b, Equality& eq) {
  if (const int64_t *x = int_of(a), *y = int_of(b); x && y)
    return *x == *y || eq.differ(fmt::format("{} against {}", *x, *y));
  if (a.variant().index() != b.variant().index()) return eq.differ("different kinds of value");
  if (const Scalar* x = a.find<Scalar>()) return eq.scalar(*x, *b.find<Scalar>());
  if (const Expr* x = a.find<Expr>()) return equal(*x, *b.find<Expr>(), eq);
  if (const Type* x = a.find<Type>()) return equal(*x, *b.find<Type>(), eq);
  if (const auto* x = a.find<Ref<GlobalInfo>>()) return equal_info(*x, *b.find<Ref<GlobalInfo>>(), eq);
  if (const auto* x = a.find<Ref<IndexMap>>()) {
    // Index maps are compared after renaming the inputs of one; the inputs are not recorded in `eq`, because several
    // calls may share a map.
    const IndexMap &m = **x, &n = **b.find<Ref<IndexMap>>();
    if (m.inputs.size() != n.inputs.size()) return eq.differ("index maps of different rank");
    return eq.scalars(m.outputs, outputs_of(n, m.inputs));
  }
  if (const AttrList* x = a.find<AttrList>()) {
    const AttrList& y = *b.find<AttrList>();
    if (x->size() != y.size()) return eq.differ(fmt::format("{} entries against {}", x->size(), y.size()));
    for (size_t i = 0; i < x->size(); ++i)
      if (!equal_value((*x)[i], y[i], eq)) return false;
    return true;
  }
  if (const AttrMap* x = a.find<AttrMap>()) return equal_map(*x, *b.find<AttrMap>(), eq);
  if (const double* x = a.find<double>())
    return std::memcmp(x, b.find<double>(), sizeof *x) == 0 || eq.differ("different numbers");
  if (const bool* x = a.find<bool>()) return *x == *b.find<bool>() || eq.differ("true against false");
  if (const std::string* x = a.find<std::string>())
    return *x == *b.find<std::string>() || eq.differ(fmt::format("\"{}\" against \"{}\"", *x, *b.find<std::string>()));
  if (const DType* x = a.find<DType>()) return *x == *b.find<DType>() || eq.differ("different dtypes");
  return true;
}

bool define_symbols(const Type& a, const Type& b, Equality& eq) {
  // A symbol is defined at its first occurrence as a whole dimension, shape value or scalar value.
  const auto *x = find<TensorType>(a), *y = find<TensorType>(b);
  auto define = [&](const std::vector<Scalar>* p, const std::vector<Scalar>* q) {
    if (!p || !q) return;
    for (size_t i = 0; i < std::min(p->size(), q->size()); ++i)
      if (find<SymVar>((*p)[i]) && find<SymVar>((*q)[i]) && !eq.same((*p)[i].get(), (*q)[i].get()))
        eq.define((*p)[i].get(), (*q)[i].get());
  };
  if (x && y) define(x->dims(), y->dims());
  const auto *s = find<ShapeType>(a), *t = find<ShapeType>(b);
  if (s && t && s->values && t->values) define(&*s->values, &*t->values);
  const auto *p = find<PrimType>(a), *q = find<PrimType>(b);
  if (p && q && p->value && q->value) {
    std::vector<Scalar> left{p->value}, right{q->value};
    define(&left, &right);
  }
  const auto *u = find<TupleType>(a), *v = find<TupleType>(b);
  if (u && v)
    for (size_t i = 0; i < std::min(u->fields.size(), v->fields.size()); ++i)
      define_symbols(u->fields[i], v->fields[i], eq);
  return true;
}

bool equal_binding(const Binding& a, const Binding& b, Equality& eq) {
  if (a.is_match_cast() != b.is_match_cast()) return eq.differ("a match_cast against a plain binding");
  // A local function may be recursive, so its variable is defined first.
  if (find<Function>(a.value) && find<Function>(b.value)) eq.define(a.var.get(), b.var.get());
  {
    Equality::Step step(eq, ".value");
    if (!equal(a.value, b.value, eq)) return false;
  }
  if (a.is_match_cast()) {
    define_symbols(a.cast_type, b.cast_type, eq);
    if (!equal(a.cast_type, b.cast_type, eq)) return false;
  }
  if (a.var->is_dataflow != b.var->is_dataflow)
    return eq.differ("a dataflow variable against one that leaves its block");
  define_symbols(a.var->type, b.var->type, eq);
  if (!eq.define(a.var.get(), b.var.get()))
    return eq.differ(fmt::format("`{}` against `{}`", a.var->name, b.var->name));
  Equality::Step step(eq, ".var.ty");
  return equal(a.var->type, b.var->type, eq);
}

bool equal_seq(const SeqExpr& a, const SeqExpr& b, Equality& eq) {
  if (a.blocks.size() != b.blocks.size())
    return eq.differ(fmt::format("{} blocks against {}", a.blocks.size(), b.blocks.size()));
  for (size_t i = 0; i < a.blocks.size(); ++i) {
    const BindingBlock &x = *a.blocks[i], &y = *b.blocks[i];
    Equality::Step step(eq, fmt::format(".blocks[{}]", i));
    if (x.is_dataflow != y.is_dataflow) return eq.differ("a dataflow block against a plain one");
    if (x.bindings.size() != y.bindings.size())
      return eq.differ(fmt::format("{} bindings against {}", x.bindings.size(), y.bindings.size()));
    for (size_t k = 0; k < x.bindings.size(); ++k) {
      Equality::Step inner(eq, fmt::format(".bindings[{}]", k));
      if (!equal_binding(x.bindings[k], y.bindings[k], eq)) return false;
    }
  }
  Equality::Step step(eq, ".body");
  return equal(a.body, b.body, eq);
}

// True when the parameters' types contain all symbols of the result type.
bool names_params_alone(const Type& result, const std::vector<Ref<Var>>& params) {
  if (!result) return true;
  std::unordered_set<Ref<SymVar>> known;
  for (const Ref<Var>& p : params)
    for (const Ref<SymVar>& s : p->type ? free_symbols(p->type) : std::vector<Ref<SymVar>>()) known.insert(s);
  return std::ranges::all_of(free_symbols(result), [&](const Ref<SymVar>& s) { return known.contains(s); });
}

bool equal_call(const Call& a, const Call& b, Equality& eq) {
  if (!equal(a.callee, b.callee, eq)) return false;
  Equality::Step step(eq, find<Op>(a.callee) ? "." + find<Op>(a.callee)->name() : std::string(".call"));
  return equal_exprs(a.args, b.args, eq) && equal(a.attrs, b.attrs, eq) && equal_types(a.type_args, b.type_args, eq);
}

}  // namespace

bool equal(const Attrs& a, const Attrs& b, Equality& eq) {
  return a.same_as(b) || equal_map(a.values(), b.values(), eq);
}

bool equal(const Type& a, const Type& b, Equality& eq) {
  if (!a || !b) return (!a && !b) || eq.differ("a type is known on one side only");
  if (a->kind != b->kind) return eq.differ(fmt::format("{} against {}", describe(a), describe(b)));
  if (const auto* x = find<PrimType>(a)) {
    const auto* y = find<PrimType>(b);
    return (x->dtype == y->dtype || eq.differ("different dtypes")) && eq.scalar(x->value, y->value);
  }
  if (const auto* x = find<ShapeType>(a)) {
    const auto* y = find<ShapeType>(b);
    if (x->rank != y->rank || x->values.has_value() != y->values.has_value())
      return eq.differ(fmt::format("{} against {}", describe(a), describe(b)));
    Equality::Step step(eq, ".values");
    return !x->values || eq.scalars(*x->values, *y->values);
  }
  if (const auto* x = find<TensorType>(a)) {
    const auto* y = find<TensorType>(b);
    if (x->dtype != y->dtype || x->rank != y->rank || !x->shape != !y->shape)
      return eq.differ(fmt::format("{} against {}", describe(a), describe(b)));
    if (!equal_info(Ref<GlobalInfo>(x->vdevice), Ref<GlobalInfo>(y->vdevice), eq)) return false;
    Equality::Step step(eq, ".shape");
    return !x->shape || equal(x->shape, y->shape, eq);
  }
  if (const auto* x = find<TupleType>(a)) return equal_types(x->fields, find<TupleType>(b)->fields, eq);
  if (const auto* x = find<CallableType>(a)) {
    const auto* y = find<CallableType>(b);
    if (x->is_pure != y->is_pure || x->params.has_value() != y->params.has_value())
      return eq.differ("different callables");
    if (x->params) {
      for (size_t i = 0; i < std::min(x->params->size(), y->params->size()); ++i)
        define_symbols((*x->params)[i], (*y->params)[i], eq);
      Equality::Step step(eq, ".params");
      if (!equal_types(*x->params, *y->params, eq)) return false;
    }
    Equality::Step step(eq, ".ret");
    return equal(x->result, y->result, eq);
  }
  return true;
}

bool equal(const Expr& a, const Expr& b, Equality& eq) {
  if (!a || !b) return (!a && !b) || eq.differ("one side is missing");
  if (a->kind != b->kind) return eq.differ("different kinds of expression");
  switch (a->kind) {
    case ExprKind::Var:
      return eq.same(a.get(), b.get()) ||
             eq.differ(fmt::format("`{}` against `{}`", find<Var>(a)->name, find<Var>(b)->name));
    case ExprKind::GlobalVar:
      return find<GlobalVar>(a)->name == find<GlobalVar>(b)->name ||
             eq.differ(fmt::format("@{} against @{}", find<GlobalVar>(a)->name, find<GlobalVar>(b)->name));
    case ExprKind::Constant:
      if (eq.options().skip_tensor_content) return equal(a->type, b->type, eq);
      return find<Constant>(a)->data == find<Constant>(b)->data || eq.differ("different constants");
    case ExprKind::ShapeExpr: {
      // Differences between shape expressions are reported at the path `.ty.values`, because the values determine the
      // type.
      Equality::Step step(eq, ".ty.values");
      return eq.scalars(find<ShapeExpr>(a)->values, find<ShapeExpr>(b)->values);
    }
    case ExprKind::PrimValue: return eq.scalar(find<PrimValue>(a)->value, find<PrimValue>(b)->value);
    case ExprKind::StringLiteral:
      return find<StringLiteral>(a)->value == find<StringLiteral>(b)->value || eq.differ("different text");
    case ExprKind::DTypeLiteral:
      return find<DTypeLiteral>(a)->value == find<DTypeLiteral>(b)->value || eq.differ("different dtypes");
    case ExprKind::Tuple: return equal_exprs(find<Tuple>(a)->fields, find<Tuple>(b)->fields, eq);
    case ExprKind::TupleGetItem: {
      const auto &x = *find<TupleGetItem>(a), &y = *find<TupleGetItem>(b);
      return (x.index == y.index || eq.differ(fmt::format("field {} against {}", x.index, y.index))) &&
             equal(x.tuple, y.tuple, eq);
    }
    case ExprKind::Call: return equal_call(*find<Call>(a), *find<Call>(b), eq);
    case ExprKind::If: {
      const auto &x = *find<If>(a), &y = *find<If>(b);
      auto branch = [&](const char* name, const SeqExpr& left, const SeqExpr& right) {
        Equality::Step step(eq, name);
        return equal_seq(left, right, eq);
      };
      return equal(x.condition, y.condition, eq) && branch(".true_branch", *x.then_branch, *y.then_branch) &&
             branch(".false_branch", *x.else_branch, *y.else_branch);
    }
    case ExprKind::SeqExpr: return equal_seq(*find<SeqExpr>(a), *find<SeqExpr>(b), eq);
    case ExprKind::Op:
      return find<Op>(a)->name() == find<Op>(b)->name() ||
             eq.differ(fmt::format("{} against {}", find<Op>(a)->name(), find<Op>(b)->name()));
    case ExprKind::ExternFunc:
    case ExprKind::Function:
    case ExprKind::PrimFunc: return find<BaseFunc>(a)->equals(*find<BaseFunc>(b), eq);
  }
  return false;
}

bool Function::equals(const BaseFunc& other, Equality& eq) const {
  const auto* f = other.kind == ExprKind::Function ? static_cast<const Function*>(&other) : nullptr;
  if (!f) return eq.differ("a graph-level function against a loop-level one");
  if (params.size() != f->params.size())
    return eq.differ(fmt::format("{} parameters against {}", params.size(), f->params.size()));
  for (size_t i = 0; i < params.size(); ++i) define_symbols(params[i]->type, f->params[i]->type, eq);
  for (size_t i = 0; i < params.size(); ++i) {
    Equality::Step step(eq, fmt::format(".params[{}].ty", i));
    eq.define(params[i].get(), f->params[i].get());
    if (!equal(params[i]->type, f->params[i]->type, eq)) return false;
  }
  if (is_pure != f->is_pure) return eq.differ("pure against impure");
  {
    Equality::Step step(eq, ".attrs");
    if (!equal(attrs, f->attrs, eq)) return false;
  }
  auto same_body = [&] {
    Equality::Step step(eq, ".body");
    return equal_seq(*body, *f->body, eq);
  };
  auto same_result = [&] {
    Equality::Step step(eq, ".ty.ret");
    return equal(result_type, f->result_type, eq);
  };
  // The result type is compared before the body, unless it has symbols that no parameter type contains.
  bool is_closed = names_params_alone(result_type, params);
  return is_closed ? same_result() && same_body() : same_body() && same_result();
}

bool ExternFunc::equals(const BaseFunc& other, Equality& eq) const {
  const auto* f = other.kind == ExprKind::ExternFunc ? static_cast<const ExternFunc*>(&other) : nullptr;
  if (!f || f->name != name) return eq.differ("different extern functions");
  return equal(type, f->type, eq) && equal(attrs, f->attrs, eq);
}

bool structural_equal(const Type& a, const Type& b, Equality::Options options) {
  Equality eq(options);
  return equal(a, b, eq);
}
bool structural_equal(const Expr& a, const Expr& b, Equality::Options options) {
  Equality eq(options);
  return equal(a, b, eq);
}

std::string first_difference(const Module& a, const Module& b, Equality::Options options) {
  if (a.same_as(b)) return {};
  for (const FunctionEntry& e : a.functions())
    if (!b.find(e.var->name)) return fmt::format("function `{}` is on the left only", e.var->name);
  for (const FunctionEntry& e : b.functions())
    if (!a.find(e.var->name)) return fmt::format("function `{}` is on the right only", e.var->name);
  Equality attrs(options);
  if (!equal(a.attrs(), b.attrs(), attrs)) return "attrs: " + attrs.difference();
  if (a.global_infos().size() != b.global_infos().size()) return "different global infos";
  for (const auto& [name, infos] : a.global_infos()) {
    auto other = b.global_infos().find(name);
    if (other == b.global_infos().end() || infos.size() != other->second.size())
      return fmt::format("global infos `{}` differ", name);
    for (size_t i = 0; i < infos.size(); ++i)
      if (!equal_info(infos[i], other->second[i], attrs)) return fmt::format("global infos `{}`[{}] differ", name, i);
  }
  for (const FunctionEntry& e : a.functions()) {
    Equality eq(options);
    Equality::Step step(eq, e.var->name);
    if (!equal(Expr(e.func), Expr(b.find(e.var->name)), eq)) return eq.difference();
  }
  return {};
}

bool structural_equal(const Module& a, const Module& b, Equality::Options options) {
  return first_difference(a, b, options).empty();
}

}  // namespace sunmao
