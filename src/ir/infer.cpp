#include "ir/infer.h"

#include <algorithm>
#include <utility>

#include "ir/equal.h"
#include "support/diagnostic.h"
#include "sym/solve.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

Fit both(Fit a, Fit b) {
  if (a == Fit::No || b == Fit::No) return Fit::No;
  return a == Fit::Yes && b == Fit::Yes ? Fit::Yes : Fit::Unknown;
}

Fit dims_fit(std::span<const Scalar> expected, std::span<const Scalar> given, Analyzer& analyzer) {
  if (expected.size() != given.size()) return Fit::No;
  Fit result = Fit::Yes;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (analyzer.can_prove_equal(expected[i], given[i])) continue;
    bool differ = analyzer.can_prove(Binary::make(BinaryOp::Ne, expected[i], given[i]));
    result = both(result, differ ? Fit::No : Fit::Unknown);
  }
  return result;
}

Fit tensor_fits(const TensorType& expected, const TensorType& given, Analyzer& analyzer) {
  Fit result = Fit::Yes;
  if (!expected.dtype.is_void()) {
    if (given.dtype.is_void())
      result = Fit::Unknown;
    else if (given.dtype != expected.dtype)
      return Fit::No;
  }
  if (expected.vdevice) {
    if (!given.vdevice)
      result = both(result, Fit::Unknown);
    else if (expected.vdevice != given.vdevice &&
             (expected.vdevice->target != given.vdevice->target || expected.vdevice->id != given.vdevice->id ||
              expected.vdevice->memory_scope != given.vdevice->memory_scope))
      return Fit::No;
  }
  if (expected.rank != kUnknownRank) {
    if (given.rank == kUnknownRank) return both(result, Fit::Unknown);
    if (given.rank != expected.rank) return Fit::No;
  }
  if (expected.dims())
    return both(result, given.dims() ? dims_fit(*expected.dims(), *given.dims(), analyzer) : Fit::Unknown);
  if (expected.shape) return both(result, expected.shape == given.shape ? Fit::Yes : Fit::Unknown);
  return result;
}

Fit all_fit(const std::vector<Type>& expected, const std::vector<Type>& given, Analyzer& analyzer) {
  if (expected.size() != given.size()) return Fit::No;
  Fit result = Fit::Yes;
  for (size_t i = 0; i < expected.size(); ++i) result = both(result, fits(expected[i], given[i], analyzer));
  return result;
}

}  // namespace

Fit fits(const Type& expected, const Type& given, Analyzer& analyzer) {
  if (expected == given || find<AnyType>(expected)) return Fit::Yes;
  if (!expected || !given || find<AnyType>(given)) return Fit::Unknown;
  if (expected->kind != given->kind) return Fit::No;
  if (const auto* e = find<TensorType>(expected)) return tensor_fits(*e, *find<TensorType>(given), analyzer);
  if (const auto* e = find<ShapeType>(expected)) {
    const auto* g = find<ShapeType>(given);
    if (e->rank != kUnknownRank && g->rank != kUnknownRank && e->rank != g->rank) return Fit::No;
    if (e->values) return g->values ? dims_fit(*e->values, *g->values, analyzer) : Fit::Unknown;
    return e->rank == kUnknownRank || e->rank == g->rank ? Fit::Yes : Fit::Unknown;
  }
  if (const auto* e = find<PrimType>(expected)) {
    const auto* g = find<PrimType>(given);
    if (e->dtype != g->dtype) return Fit::No;
    if (!e->value) return Fit::Yes;
    return g->value ? dims_fit(std::span(&e->value, 1), std::span(&g->value, 1), analyzer) : Fit::Unknown;
  }
  if (const auto* e = find<TupleType>(expected)) return all_fit(e->fields, find<TupleType>(given)->fields, analyzer);
  const auto *e = find<CallableType>(expected), *g = find<CallableType>(given);
  if (e->is_pure && !g->is_pure) return Fit::No;
  Fit result = fits(e->result, g->result, analyzer);
  if (e->params) return g->params ? both(result, all_fit(*g->params, *e->params, analyzer)) : Fit::Unknown;
  return result;
}

namespace {

Type common_tensor(const TensorType& a, const TensorType& b, Analyzer& analyzer) {
  DType dtype = a.dtype == b.dtype ? a.dtype : DType::void_();
  Ref<VDevice> vdevice = a.vdevice == b.vdevice ? a.vdevice : nullptr;
  if (a.dims() && b.dims() && dims_fit(*a.dims(), *b.dims(), analyzer) == Fit::Yes)
    return TensorType::make(*a.dims(), dtype, vdevice);
  if (a.shape && a.shape == b.shape) return TensorType::make_with_shape(a.shape, dtype, vdevice);
  return TensorType::make_unknown(dtype, a.rank == b.rank ? a.rank : kUnknownRank, vdevice);
}

}  // namespace

Type common_type(const Type& a, const Type& b, Analyzer& analyzer) {
  if (a == b) return a;
  if (!a || !b || a->kind != b->kind) return AnyType::make();
  if (const auto* x = find<TensorType>(a)) {
    const auto* y = find<TensorType>(b);
    Type common = common_tensor(*x, *y, analyzer);
    return structural_equal(common, a) ? a : common;
  }
  if (const auto* x = find<ShapeType>(a)) {
    const auto* y = find<ShapeType>(b);
    if (x->values && y->values && dims_fit(*x->values, *y->values, analyzer) == Fit::Yes) return a;
    return ShapeType::make_unknown(x->rank == y->rank ? x->rank : kUnknownRank);
  }
  if (const auto* x = find<PrimType>(a)) {
    const auto* y = find<PrimType>(b);
    if (x->dtype != y->dtype) return AnyType::make();
    return x->value && y->value && analyzer.can_prove_equal(x->value, y->value) ? a : PrimType::make(x->dtype);
  }
  if (const auto* x = find<TupleType>(a)) {
    const auto* y = find<TupleType>(b);
    if (x->fields.size() != y->fields.size()) return AnyType::make();
    std::vector<Type> fields;
    for (size_t i = 0; i < x->fields.size(); ++i) fields.push_back(common_type(x->fields[i], y->fields[i], analyzer));
    return fields == x->fields ? a : TupleType::make(std::move(fields));
  }
  const auto *x = find<CallableType>(a), *y = find<CallableType>(b);
  if (structural_equal(a, b)) return a;
  Type result = common_type(x->result, y->result, analyzer);
  bool is_pure = x->is_pure && y->is_pure;
  if (!x->params || !y->params || x->params->size() != y->params->size())
    return CallableType::make_opaque(std::move(result), is_pure);
  std::vector<Type> params;
  for (size_t i = 0; i < x->params->size(); ++i)
    params.push_back(common_type((*x->params)[i], (*y->params)[i], analyzer));
  return CallableType::make(std::move(params), std::move(result), is_pure);
}

Type substitute(const Type& type, const Substitution& symbols) {
  if (!type || symbols.empty()) return type;
  auto all = [&](const std::vector<Scalar>& values, bool& changed) {
    std::vector<Scalar> out;
    Analyzer analyzer;
    for (const Scalar& v : values) {
      Scalar replaced = substitute(v, symbols);
      changed |= !replaced.same_as(v);
      out.push_back(replaced.same_as(v) ? v : analyzer.simplify(replaced));
    }
    return out;
  };
  auto types = [&](const std::vector<Type>& fields) {
    std::vector<Type> out;
    for (const Type& f : fields) out.push_back(substitute(f, symbols));
    return out;
  };
  bool changed = false;
  if (const auto* t = find<TensorType>(type)) {
    if (!t->dims()) return type;
    std::vector<Scalar> dims = all(*t->dims(), changed);
    return changed ? TensorType::make(std::move(dims), t->dtype, t->vdevice, t->span) : type;
  }
  if (const auto* s = find<ShapeType>(type)) {
    if (!s->values) return type;
    std::vector<Scalar> values = all(*s->values, changed);
    return changed ? ShapeType::make(std::move(values), s->span) : type;
  }
  if (const auto* p = find<PrimType>(type)) {
    if (!p->value) return type;
    std::vector<Scalar> value = all({p->value}, changed);
    return changed ? PrimType::of_value(value[0], p->span) : type;
  }
  if (const auto* u = find<TupleType>(type)) {
    std::vector<Type> fields = types(u->fields);
    return fields == u->fields ? type : TupleType::make(std::move(fields), u->span);
  }
  if (const auto* c = find<CallableType>(type)) {
    Type result = substitute(c->result, symbols);
    if (!c->params) return result == c->result ? type : CallableType::make_opaque(result, c->is_pure, c->span);
    std::vector<Type> params = types(*c->params);
    return params == *c->params && result == c->result
               ? type
               : CallableType::make(std::move(params), result, c->is_pure, c->span);
  }
  return type;
}

namespace {

// Computes, from the argument types, the symbols that the parameter types define.
class SymbolSolver {
 public:
  void match(const Type& param, const Type& arg) {
    if (!param || !arg || param->kind != arg->kind) return;
    if (const auto* p = find<TensorType>(param)) {
      if (p->dims() && find<TensorType>(arg)->dims()) match(*p->dims(), *find<TensorType>(arg)->dims());
    } else if (const auto* s = find<ShapeType>(param)) {
      if (s->values && find<ShapeType>(arg)->values) match(*s->values, *find<ShapeType>(arg)->values);
    } else if (const auto* v = find<PrimType>(param)) {
      if (v->value && find<PrimType>(arg)->value && v->dtype == find<PrimType>(arg)->dtype)
        match(std::span(&v->value, 1), std::span(&find<PrimType>(arg)->value, 1));
    } else if (const auto* t = find<TupleType>(param)) {
      const auto& fields = find<TupleType>(arg)->fields;
      for (size_t i = 0; i < std::min(t->fields.size(), fields.size()); ++i) match(t->fields[i], fields[i]);
    }
  }
  /// Returns the solution: first symbols that are whole dimensions, then those determined by a single equation.
  const Substitution& found() {
    for (bool more = true; std::exchange(more, false);)
      for (const auto& [param, arg] : equations_) more |= solve_one(param, arg);
    equations_.clear();
    return found_;
  }

 private:
  void match(std::span<const Scalar> params, std::span<const Scalar> args) {
    for (size_t i = 0; i < std::min(params.size(), args.size()); ++i) {
      if (Ref<SymVar> symbol = find_ref<SymVar>(params[i]))
        found_.emplace(symbol, args[i]);
      else if (find<Binary>(params[i]))
        equations_.emplace_back(params[i], args[i]);
    }
  }

  bool solve_one(const Scalar& param, const Scalar& arg) {
    Ref<SymVar> unknown;
    for (const Ref<SymVar>& s : free_symbols(param)) {
      if (found_.contains(s)) continue;
      if (unknown) return false;
      unknown = s;
    }
    const Scalar value = unknown ? solve(substitute(param, found_), arg, unknown) : Scalar();
    return value && found_.emplace(unknown, value).second;
  }

  Substitution found_;
  std::vector<std::pair<Scalar, Scalar>> equations_;
};

// Returns the type with shapes and scalar values that use a symbol outside `known` erased; ranks are kept, and callable
// types are unchanged.
Type erase_unknown(const Type& type, const Substitution& known) {
  if (const auto* t = find<TupleType>(type)) {
    std::vector<Type> fields;
    for (const Type& f : t->fields) fields.push_back(erase_unknown(f, known));
    return fields == t->fields ? type : TupleType::make(std::move(fields), t->span);
  }
  bool all_known = std::ranges::all_of(free_symbols(type), [&](const Ref<SymVar>& s) { return known.contains(s); });
  if (all_known) return type;
  if (const auto* t = find<TensorType>(type)) return TensorType::make_unknown(t->dtype, t->rank, t->vdevice, t->span);
  if (const auto* s = find<ShapeType>(type)) return ShapeType::make_unknown(s->rank, s->span);
  if (const auto* p = find<PrimType>(type)) return PrimType::make(p->dtype, p->span);
  return type;
}

}  // namespace

Type infer_call(const CallableType& signature, std::span<const Expr> args, const Span& span,
                const std::string& callee) {
  if (!signature.params) return signature.result;
  const std::vector<Type>& params = *signature.params;
  if (params.size() != args.size())
    fail("E0310", span, fmt::format("`{}` takes {} arguments, got {}", callee, params.size(), args.size()));
  SymbolSolver solver;
  for (size_t i = 0; i < args.size(); ++i) solver.match(params[i], args[i]->type);
  const Substitution& found = solver.found();
  Analyzer analyzer;
  for (size_t i = 0; i < args.size(); ++i) {
    Type expected = substitute(params[i], found);
    if (fits(expected, args[i]->type, analyzer) == Fit::No)
      fail("E0313", span,
           fmt::format("`{}`: argument {} does not fit: expected {}, got {}", callee, i, describe(expected),
                       describe(args[i]->type)));
  }
  return substitute(erase_unknown(signature.result, found), found);
}

Type signature_of(const Module& module, const GlobalVar& var) {
  Ref<BaseFunc> func = module.find(var.name);
  return func ? func->type : nullptr;
}

}  // namespace sunmao
