#include "eval/shape_values.h"

#include <algorithm>

#include "eval/element.h"
#include "ir/op.h"
#include "ir/walk.h"
#include "ops/lowering.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

std::vector<SymbolicTensor> constant_values(const Array& data) {
  if (!data.dtype().is_integral() || data.count() > kMaxSymbolicElements) return {};
  SymbolicTensor t{data.dtype(), data.shape(), {}};
  for (int64_t i = 0; i < data.count(); ++i) t.elements.push_back(int_imm(load_element(data, i).i));
  return {std::move(t)};
}

Type type_of(const SymbolicTensor& t) {
  std::vector<Scalar> dims;
  for (int64_t d : t.shape) dims.push_back(int_imm(d));
  return TensorType::make(std::move(dims), t.dtype);
}

bool holds_tensors(const Type& type) {
  const auto* tuple = find<TupleType>(type);
  return tuple ? std::ranges::any_of(tuple->fields, holds_tensors) : find<TensorType>(type) != nullptr;
}

// True when the type does not rule out known elements: it is that of a tensor of integers or bools (or of unknown
// dtype) with a constant shape of at most kMaxSymbolicElements elements (or of unknown shape), or of a tuple of such
// tensors.
bool may_be_known(const Type& type) {
  if (const auto* tuple = find<TupleType>(type)) return std::ranges::all_of(tuple->fields, may_be_known);
  const auto* t = find<TensorType>(type);
  return t && (t->dtype.is_void() || t->dtype.is_integral()) && (!t->dims() || small_count(*t->dims()));
}

}  // namespace

ShapeValues::ShapeValues(Int32Sizes int32_sizes) : analyzer_(std::make_unique<Analyzer>()), int32_sizes_(int32_sizes) {}

void ShapeValues::note_parameter(const Ref<Var>& var) {
  for (const Ref<SymVar>& dim : defined_symbols(var->type)) analyzer_->assume(dim, {0, Interval::kMax});
}

void ShapeValues::note(const Ref<Var>& var, std::vector<SymbolicTensor> values) {
  note_parameter(var);
  if (!values.empty()) known_.insert_or_assign(var, std::move(values));
}

Expr ShapeValues::shape_of(const Call& call) {
  const Op* op = op_of(call);
  if (!op || !find<ShapeType>(call.type)) return nullptr;
  if (op->info.decompose) {
    const Expr simpler = op->info.decompose(call);
    return find<ShapeExpr>(simpler) ? simpler : nullptr;
  }
  if (op->name() != "tensor_to_shape") return nullptr;
  const std::vector<SymbolicTensor> values = values_of(call.args[0]);
  return values.size() == 1 && values[0].is_known() ? ShapeExpr::make(values[0].elements, call.span) : nullptr;
}

std::vector<SymbolicTensor> ShapeValues::values_of(const Expr& value) {
  if (const auto* var = find<Var>(value)) {
    auto found = known_.find(Ref<Var>(var));
    return found == known_.end() ? std::vector<SymbolicTensor>() : found->second;
  }
  if (const auto* constant = find<Constant>(value)) return constant_values(constant->data);
  if (const auto* item = find<TupleGetItem>(value)) {
    std::vector<SymbolicTensor> fields = values_of(item->tuple);
    const size_t i = static_cast<size_t>(item->index);
    return i < fields.size() ? std::vector{fields[i]} : std::vector<SymbolicTensor>();
  }
  if (const auto* tuple = find<Tuple>(value)) {
    std::vector<SymbolicTensor> fields;
    for (const Expr& field : tuple->fields) {
      std::vector<SymbolicTensor> one = values_of(field);
      if (one.size() != 1) return {};
      fields.push_back(std::move(one[0]));
    }
    return fields;
  }
  const auto* call = find<Call>(value);
  return call ? results_of(*call) : std::vector<SymbolicTensor>();
}

// Returns the elements of a call's result: its kernel is run symbolically on the known elements of the arguments; if
// the op has no kernel, its simpler form is evaluated. Empty when unknown.
std::vector<SymbolicTensor> ShapeValues::results_of(const Call& call) {
  const Op* op = op_of(call);
  if (!op || !op->info.is_pure || op->info.is_random || !may_be_known(call.type)) return {};
  if (!op->info.lower) {
    const Expr simpler = op->info.decompose ? op->info.decompose(call) : Expr(&call);
    return simpler.get() == &call ? std::vector<SymbolicTensor>() : values_of(simpler);
  }
  std::vector<SymbolicTensor> inputs;
  std::vector<Expr> args;
  for (const Expr& arg : call.args) {
    if (!holds_tensors(arg->type)) {
      args.push_back(arg);
      continue;
    }
    std::vector<SymbolicTensor> values = values_of(arg);
    if (values.empty()) return {};
    std::vector<Expr> fields;
    for (SymbolicTensor& v : values) {
      fields.push_back(Var::make("x", type_of(v)));
      inputs.push_back(std::move(v));
    }
    args.push_back(find<TupleType>(arg->type) ? Tuple::make(std::move(fields)) : fields[0]);
  }
  Ref<Call> same = Call::make(call.callee, std::move(args), call.attrs, call.type_args, call.span);
  const Ref<BaseFunc> kernel = kernel_of(*same);
  const auto* function = kernel ? find<PrimFunc>(Expr(kernel)) : nullptr;
  return function
             ? run_symbolically(*function, inputs, *analyzer_, int32_sizes_).value_or(std::vector<SymbolicTensor>())
             : std::vector<SymbolicTensor>();
}

}  // namespace sunmao
