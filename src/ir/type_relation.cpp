#include "ir/type_relation.h"

#include <algorithm>

#include "ir/equal.h"
#include "ir/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

BaseCheck worst(BaseCheck a, BaseCheck b) { return std::min(a, b); }

BaseCheck check_scalars(std::span<const Scalar> base, std::span<const Scalar> derived, Analyzer& analyzer) {
  if (base.size() != derived.size()) return BaseCheck::Disjoint;
  BaseCheck result = BaseCheck::Pass;
  for (size_t i = 0; i < base.size(); ++i) {
    if (analyzer.can_prove_equal(base[i], derived[i])) continue;
    bool differ = analyzer.can_prove(Binary::make(BinaryOp::Ne, base[i], derived[i]));
    result = worst(result, differ ? BaseCheck::Disjoint : BaseCheck::ShapeUnknown);
  }
  return result;
}

BaseCheck compare_rank(int base, int derived) {
  if (base == kUnknownRank || base == derived) return BaseCheck::Pass;
  return derived == kUnknownRank ? BaseCheck::StaticUnknown : BaseCheck::Disjoint;
}

BaseCheck check_static(const TensorType& base, const TensorType& derived) {
  BaseCheck result = compare_rank(base.rank, derived.rank);
  if (!base.is_unknown_dtype() && base.dtype != derived.dtype)
    result = worst(result, derived.is_unknown_dtype() ? BaseCheck::StaticUnknown : BaseCheck::Disjoint);
  if (!base.vdevice) return result;
  if (!derived.vdevice) return worst(result, BaseCheck::StaticUnknown);
  return same_device(*base.vdevice, *derived.vdevice) ? result : BaseCheck::Disjoint;
}

BaseCheck check_tensor(const TensorType& base, const TensorType& derived, Analyzer& analyzer) {
  BaseCheck result = check_static(base, derived);
  if (result < BaseCheck::ShapeUnknown || !base.shape || base.shape == derived.shape) return result;
  if (base.dims() && derived.dims()) return worst(result, check_scalars(*base.dims(), *derived.dims(), analyzer));
  return BaseCheck::ShapeUnknown;
}

BaseCheck check_shape(const ShapeType& base, const ShapeType& derived, Analyzer& analyzer) {
  BaseCheck result = compare_rank(base.rank, derived.rank);
  if (result != BaseCheck::Pass || !base.values) return result;
  return derived.values ? check_scalars(*base.values, *derived.values, analyzer) : BaseCheck::ShapeUnknown;
}

BaseCheck check_prim(const PrimType& base, const PrimType& derived, Analyzer& analyzer) {
  if (base.dtype != derived.dtype) return BaseCheck::Disjoint;
  if (!base.value) return BaseCheck::Pass;
  if (!derived.value) return BaseCheck::ShapeUnknown;
  return check_scalars(std::span(&base.value, 1), std::span(&derived.value, 1), analyzer);
}

BaseCheck check_all(const std::vector<Type>& base, const std::vector<Type>& derived, Analyzer& analyzer) {
  if (base.size() != derived.size()) return BaseCheck::Disjoint;
  BaseCheck result = BaseCheck::Pass;
  for (size_t i = 0; i < base.size(); ++i) result = worst(result, base_check(base[i], derived[i], analyzer));
  return result;
}

// Approximate: parameters are compared covariantly, like results.
BaseCheck check_callable(const CallableType& base, const CallableType& derived, Analyzer& analyzer) {
  if (base.is_pure && !derived.is_pure) return BaseCheck::Disjoint;
  if (!base.params) return base_check(base.result, derived.result, analyzer);
  if (!derived.params) return BaseCheck::ShapeUnknown;
  if (structural_equal(Type(&base), Type(&derived))) return BaseCheck::Pass;
  return worst(check_all(*base.params, *derived.params, analyzer), base_check(base.result, derived.result, analyzer));
}

}  // namespace

bool same_device(const VDevice& a, const VDevice& b) {
  return a.target == b.target && a.id == b.id && a.memory_scope == b.memory_scope;
}

BaseCheck base_check(const Type& base, const Type& derived, Analyzer& analyzer) {
  if (base == derived || find<AnyType>(base)) return BaseCheck::Pass;
  if (!base || !derived || find<AnyType>(derived)) return BaseCheck::StaticUnknown;
  if (base->kind != derived->kind) return BaseCheck::Disjoint;
  switch (base->kind) {
    case TypeKind::Any: return BaseCheck::Pass;
    case TypeKind::Prim: return check_prim(*find<PrimType>(base), *find<PrimType>(derived), analyzer);
    case TypeKind::Shape: return check_shape(*find<ShapeType>(base), *find<ShapeType>(derived), analyzer);
    case TypeKind::Tensor: return check_tensor(*find<TensorType>(base), *find<TensorType>(derived), analyzer);
    case TypeKind::Tuple: return check_all(find<TupleType>(base)->fields, find<TupleType>(derived)->fields, analyzer);
    case TypeKind::Callable: return check_callable(*find<CallableType>(base), *find<CallableType>(derived), analyzer);
  }
  return BaseCheck::Disjoint;
}

Type derive_call_result(const CallableType& signature, std::span<const Expr> args, const Span& span,
                        const std::string& callee) {
  Type result = infer_call(signature, args, span, callee);
  Analyzer analyzer;
  for (size_t i = 0; signature.params && i < args.size(); ++i) {
    const Type& param = (*signature.params)[i];
    if (base_check(static_type(param), static_type(args[i]->type), analyzer) < BaseCheck::ShapeUnknown)
      fail("E0313", span,
           fmt::format("`{}`: argument {} does not fit: expected {}, got {}", callee, i, describe(param),
                       describe(args[i]->type)),
           "state what it is with R.match_cast");
  }
  return result;
}

namespace {

std::vector<Type> map_types(const std::vector<Type>& types, auto map) {
  std::vector<Type> out;
  for (const Type& t : types) out.push_back(map(t));
  return out;
}

}  // namespace

bool fits(const Type& type, std::string_view dtype, std::span<const int64_t> sizes) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor) return true;
  if (!tensor->dtype.is_void() && tensor->dtype.str() != dtype) return false;
  if (tensor->rank >= 0 && static_cast<size_t>(tensor->rank) != sizes.size()) return false;
  const std::vector<Scalar>* dims = tensor->dims();
  return !dims || std::ranges::equal(*dims, sizes, [](const Scalar& dim, int64_t size) {
    const int64_t* known = find_int(dim);
    return !known || *known == size;
  });
}

Type static_type(const Type& type) {
  if (const auto* t = find<TensorType>(type))
    return t->shape ? TensorType::make_unknown(t->dtype, t->rank, t->vdevice, t->span) : type;
  if (const auto* t = find<ShapeType>(type)) return t->values ? ShapeType::make_unknown(t->rank, t->span) : type;
  if (const auto* t = find<PrimType>(type)) return t->value ? PrimType::make(t->dtype, t->span) : type;
  if (const auto* t = find<TupleType>(type)) return TupleType::make(map_types(t->fields, static_type), t->span);
  if (const auto* t = find<CallableType>(type)) {
    if (!t->params) return CallableType::make_opaque(static_type(t->result), t->is_pure, t->span);
    return CallableType::make(map_types(*t->params, static_type), static_type(t->result), t->is_pure, t->span);
  }
  return type;
}

namespace {

Expr well_defined_shape(const TensorType& t, const std::unordered_map<Ref<Var>, Expr>& vars) {
  Ref<Var> var = find_ref<Var>(t.shape);
  if (!var) return t.shape;
  auto it = vars.find(var);
  return it == vars.end() ? Expr() : it->second;
}

}  // namespace

Type erase_to_well_defined(const Type& type, const Substitution& symbols,
                           const std::unordered_map<Ref<Var>, Expr>& vars) {
  auto defined = [&](const Type& t) {
    return std::ranges::all_of(free_symbols(t), [&](const Ref<SymVar>& s) { return symbols.contains(s); });
  };
  if (const auto* t = find<TensorType>(type)) {
    if (!t->shape) return type;
    Expr shape = well_defined_shape(*t, vars);
    if (!shape || !defined(shape->type)) return TensorType::make_unknown(t->dtype, t->rank, t->vdevice, t->span);
    if (shape == t->shape) return substitute(type, symbols);
    return substitute(TensorType::make_with_shape(shape, t->dtype, t->vdevice, t->span), symbols);
  }
  if (const auto* t = find<ShapeType>(type))
    return defined(type) ? substitute(type, symbols) : ShapeType::make_unknown(t->rank, t->span);
  if (const auto* t = find<PrimType>(type))
    return defined(type) ? substitute(type, symbols) : PrimType::make(t->dtype, t->span);
  if (const auto* t = find<TupleType>(type)) {
    std::vector<Type> fields =
        map_types(t->fields, [&](const Type& f) { return erase_to_well_defined(f, symbols, vars); });
    return fields == t->fields ? type : TupleType::make(std::move(fields), t->span);
  }
  return type;
}

std::vector<Ref<SymVar>> definable_symbols(const Type& type) {
  std::vector<Ref<SymVar>> out;
  auto add = [&](const std::vector<Ref<SymVar>>& symbols) {
    for (const Ref<SymVar>& s : symbols)
      if (std::ranges::find(out, s) == out.end()) out.push_back(s);
  };
  if (const auto* c = find<CallableType>(type)) {
    if (c->params)
      for (const Type& p : *c->params) add(definable_symbols(p));
  } else if (const auto* t = find<TupleType>(type)) {
    for (const Type& f : t->fields) add(definable_symbols(f));
  } else {
    add(defined_symbols(type));
  }
  return out;
}

std::vector<Ref<SymVar>> unbound_symbols(const Type& type) {
  std::vector<Ref<SymVar>> out;
  if (const auto* t = find<TupleType>(type)) {
    for (const Type& f : t->fields)
      for (const Ref<SymVar>& s : unbound_symbols(f))
        if (std::ranges::find(out, s) == out.end()) out.push_back(s);
    return out;
  }
  out = free_symbols(type);
  if (!find<CallableType>(type)) return out;
  std::vector<Ref<SymVar>> bound = definable_symbols(type);
  std::erase_if(out, [&](const Ref<SymVar>& s) { return std::ranges::find(bound, s) != bound.end(); });
  return out;
}

namespace {

void collect_non_negative(const Type& type, std::vector<Scalar>& out) {
  auto add = [&](const std::vector<Scalar>& values) {
    for (const Scalar& v : values) {
      bool known = std::ranges::any_of(out, [&](const Scalar& s) { return structural_equal(s, v); });
      if (!find_int(v) && !known) out.push_back(v);
    }
  };
  if (const auto* t = find<TensorType>(type); t && t->dims()) add(*t->dims());
  if (const auto* t = find<ShapeType>(type); t && t->values) add(*t->values);
  if (const auto* t = find<TupleType>(type))
    for (const Type& f : t->fields) collect_non_negative(f, out);
  if (const auto* t = find<CallableType>(type)) {
    if (t->params)
      for (const Type& p : *t->params) collect_non_negative(p, out);
    collect_non_negative(t->result, out);
  }
}

}  // namespace

std::vector<Scalar> non_negative_scalars(const Type& type) {
  std::vector<Scalar> out;
  collect_non_negative(type, out);
  return out;
}

}  // namespace sunmao
