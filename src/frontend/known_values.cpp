#include "frontend/known_values.h"

#include <algorithm>
#include <utility>

#include "eval/evaluator.h"
#include "frontend/shapes.h"
#include "ir/builder.h"
#include "ir/op.h"
#include "ir/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr int64_t kMaxElements = 4096;  // of a tensor that is computed while reading
constexpr int kMaxOperands = 64;        // of operands inside each other

std::string_view op_name_of(const Call& call) {
  const Op* op = op_of(call);
  return op ? op->name() : std::string_view();
}

std::optional<int64_t> count_of(const Type& type) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims() || tensor->is_unknown_dtype()) return std::nullopt;
  int64_t count = 1;
  for (const Scalar& d : *tensor->dims())
    if (!find_int(d) || *find_int(d) > kMaxElements || (count *= *find_int(d)) > kMaxElements) return std::nullopt;
  return count;
}

bool is_small(const Type& type) {
  if (const auto* tuple = find<TupleType>(type)) {
    for (const Type& field : tuple->fields)
      if (!is_small(field)) return false;
    return true;
  }
  return find<ShapeType>(type) || find<PrimType>(type) || count_of(type);
}

Expr expr_of(const Value& value, const Span& span) {
  if (const Array* array = value.array()) return Constant::make(*array, span);
  if (const ShapeValue* shape = value.shape()) {
    std::vector<Scalar> dims;
    for (int64_t d : *shape) dims.push_back(int_imm(d));
    return ShapeExpr::make(std::move(dims), span);
  }
  const ValueTuple* tuple = value.tuple();
  if (!tuple) return nullptr;
  std::vector<Expr> fields;
  for (const Value& field : *tuple) {
    fields.push_back(expr_of(field, span));
    if (!fields.back()) return nullptr;
  }
  return Tuple::make(std::move(fields), span);
}

}  // namespace

void KnownValues::note_weight(const Ref<Var>& var, const Array& data) {
  weights_.emplace(var, data);
  shapes_.note(var, shapes_.values_of(Constant::make(data)));
}

void KnownValues::note_binding(const Ref<Var>& var, const Expr& value) {
  bound_.emplace(var, value);
  note(var, shapes_.values_of(value));
}

void KnownValues::note(const Ref<Var>& var, std::vector<SymbolicTensor> values) {
  const auto is_kept = [](const Scalar& s) { return !s || is_short(s); };
  if (!std::ranges::all_of(values, [&](const SymbolicTensor& t) { return std::ranges::all_of(t.elements, is_kept); }))
    values.clear();
  shapes_.note(var, std::move(values));
}

void KnownValues::note_elements(const Ref<Var>& var, const std::vector<Scalar>& elements) {
  if (!var) return;
  const auto* type = find<TensorType>(var->type);
  SymbolicTensor known{.dtype = type->dtype, .shape = {}, .elements = elements};
  if (type->rank == 1) known.shape = {static_cast<int64_t>(elements.size())};
  shapes_.note(var, {std::move(known)});
  ++notes_;
}

/// Computes again what was unknown before a note; false when nothing is known of it still.
bool KnownValues::derive(const Ref<Var>& var, int depth) {
  if (!shapes_.values_of(var).empty()) return true;
  auto bound = bound_.find(var);
  if (depth > kMaxOperands || bound == bound_.end() || !is_small(var->type)) return false;
  if (std::exchange(derived_at_[var], notes_) == notes_) return false;
  for (const Ref<Var>& operand : free_vars(bound->second))
    if (find<TensorType>(operand->type) && dtype_of(operand).is_integral()) derive(operand, depth + 1);
  note(var, shapes_.values_of(bound->second));
  return !shapes_.values_of(var).empty();
}

std::vector<Expr> KnownValues::parts(const Expr& var) const {
  const Ref<Var> v = find_ref<Var>(var);
  auto bound = v ? bound_.find(v) : bound_.end();
  const auto* call = bound == bound_.end() ? nullptr : find<Call>(bound->second);
  if (!call || rank_of(var) != 1 || op_name_of(*call) != "concat") return {};
  const auto* parts = find<Tuple>(call->args[0]);
  return parts ? parts->fields : std::vector<Expr>();
}

Expr KnownValues::origin(const Expr& var) const {
  constexpr std::string_view kViews[] = {"reshape", "expand_dims", "squeeze", "astype"};
  const Ref<Var> v = find_ref<Var>(var);
  auto bound = v ? bound_.find(v) : bound_.end();
  const auto* call = bound == bound_.end() ? nullptr : find<Call>(bound->second);
  if (!call || std::ranges::find(kViews, op_name_of(*call)) == std::end(kViews)) return var;
  const Expr& from = call->args[0];
  const bool is_list = rank_of(from) == 0 || rank_of(from) == 1;
  const bool is_whole = dtype_of(from).is_int() && dtype_of(var).is_int() && dtype_of(from).bits <= dtype_of(var).bits;
  return find<Var>(from) && is_list && is_whole ? origin(from) : var;
}

std::optional<SymbolicTensor> KnownValues::elements(const Expr& e) {
  std::vector<SymbolicTensor> values = shapes_.values_of(e);
  if (const Ref<Var> var = find_ref<Var>(e); var && values.empty() && notes_ > 0 && derive(var, 0))
    values = shapes_.values_of(e);
  if (values.size() == 1 && values[0].is_known()) return std::move(values[0]);
  std::optional<Array> known = data(e);
  if (!known) return std::nullopt;
  values = shapes_.values_of(Constant::make(*known));
  if (values.size() == 1 && values[0].is_known()) return std::move(values[0]);
  return std::nullopt;
}

std::optional<Array> KnownValues::data(const Expr& e) {
  if (const auto* constant = find<Constant>(e)) return constant->data;
  if (Ref<Var> var = find_ref<Var>(e))
    if (auto it = weights_.find(var); it != weights_.end()) return it->second;
  const Expr known = constant_of(e, 0);
  if (const auto* constant = find<Constant>(known)) return constant->data;
  return std::nullopt;
}

// Returns a constant, a shape, a number or a tuple of them; null when the value is unknown.
Expr KnownValues::constant_of(const Expr& e, int depth) {
  if (depth > kMaxOperands) return nullptr;
  if (find<Constant>(e) || find<PrimValue>(e) || find<StringLiteral>(e) || find<DTypeLiteral>(e)) return e;
  if (const auto* shape = find<ShapeExpr>(e)) {
    for (const Scalar& d : shape->values)
      if (!find_int(d)) return nullptr;
    return e;
  }
  if (const auto* tuple = find<Tuple>(e)) {
    std::vector<Expr> fields;
    for (const Expr& f : tuple->fields) {
      fields.push_back(constant_of(f, depth + 1));
      if (!fields.back()) return nullptr;
    }
    return Tuple::make(std::move(fields), tuple->span);
  }
  if (const auto* item = find<TupleGetItem>(e)) {
    const Expr whole = constant_of(item->tuple, depth + 1);
    const auto* fields = find<Tuple>(whole);
    return fields ? fields->fields[static_cast<size_t>(item->index)] : Expr();
  }
  if (const auto* call = find<Call>(e)) return evaluated(*call, depth);
  Ref<Var> var = find_ref<Var>(e);
  if (!var) return nullptr;
  if (auto it = weights_.find(var); it != weights_.end())
    return is_small(var->type) ? Expr(Constant::make(it->second, var->span)) : Expr();
  if (auto it = constants_.find(var); it != constants_.end()) return it->second;
  auto it = bound_.find(var);
  if (it == bound_.end() || !is_small(var->type)) return nullptr;
  Expr known = constant_of(it->second, depth + 1);
  constants_.emplace(var, known);
  return known;
}

Expr KnownValues::evaluated(const Call& call, int depth) {
  const Op* op = op_of(call);
  if (!op || !op->info.is_pure || op->info.is_random || !is_small(call.type)) return nullptr;
  std::vector<Expr> args;
  for (const Expr& arg : call.args) {
    args.push_back(constant_of(arg, depth + 1));
    if (!args.back()) return nullptr;
  }
  try {
    BlockBuilder builder;
    Ref<Function> main = builder.finish_function({}, call.with_args(std::move(args)));
    return expr_of(Evaluator(Module().with_function("main", main)).call("main", {}), call.span);
  } catch (const UserError&) {
    return nullptr;  // what cannot be evaluated now fails, if at all, when it runs
  }
}

}  // namespace sunmao
