#include <algorithm>
#include <functional>
#include <set>

#include "ir/walk.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "passes/upstream/precision_needs.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

const DType kHalf = DType::float_(16), kFull = DType::float_(32);

bool is_half_or_full(DType dtype) { return dtype == kHalf || dtype == kFull; }

// Returns the type with float16 and float32 replaced by `dtype`.
Type retyped(const Type& type, DType dtype) {
  if (const auto* tuple = find<TupleType>(type)) {
    std::vector<Type> fields;
    for (const Type& f : tuple->fields) fields.push_back(retyped(f, dtype));
    return TupleType::make(std::move(fields));
  }
  const auto* tensor = find<TensorType>(type);
  return tensor && is_half_or_full(tensor->dtype) && tensor->dtype != dtype ? with_dtype(*tensor, dtype) : type;
}

// Returns the type with float16 where `need` is Half.
Type halved_where(const Type& type, const PrecisionNeed& need) {
  if (need.kind == PrecisionNeed::Kind::Half) return retyped(type, kHalf);
  const auto* tuple = find<TupleType>(type);
  if (!tuple) return type;
  std::vector<Type> fields = tuple->fields;
  for (size_t i = 0; i < std::min(fields.size(), need.fields.size()); ++i)
    fields[i] = halved_where(fields[i], need.fields[i]);
  return TupleType::make(std::move(fields));
}

bool same_dtypes(const Type& a, const Type& b) {
  const auto *s = find<TupleType>(a), *t = find<TupleType>(b);
  if (s && t) return std::ranges::equal(s->fields, t->fields, same_dtypes);
  const auto *x = find<TensorType>(a), *y = find<TensorType>(b);
  return !x || !y || x->dtype == y->dtype || !is_half_or_full(x->dtype) || !is_half_or_full(y->dtype);
}

// True when all dtypes of `e` are known, and its floats are float16 or in constants for which `fits_half` holds.
bool can_be_halved(const Expr& e) {
  if (const auto* tuple = find<Tuple>(e)) return std::ranges::all_of(tuple->fields, can_be_halved);
  if (const auto* constant = find<Constant>(e); constant && constant->data.dtype().is_float())
    return fits_half(*constant);
  std::function<bool(const Type&)> is_half = [&](const Type& type) {
    if (const auto* tuple = find<TupleType>(type)) return std::ranges::all_of(tuple->fields, is_half);
    const auto* tensor = find<TensorType>(type);
    return !tensor || (!tensor->dtype.is_void() && (!tensor->dtype.is_float() || tensor->dtype == kHalf));
  };
  return is_half(e->type);
}

// True when both the first argument and the result of a call are tensors of float16 or float32.
bool is_between_floats(const Call& call) {
  const auto *from = find<TensorType>(call.args[0]->type), *to = find<TensorType>(call.type);
  return from && to && is_half_or_full(from->dtype) && is_half_or_full(to->dtype);
}

class MixedPrecision final : public Rewriter {
 public:
  MixedPrecision(PrecisionNeeds needs, DType out_dtype, const std::set<std::string>& half_inputs)
      : needs_(std::move(needs)), out_dtype_(out_dtype), half_inputs_(half_inputs) {}

 private:
  using Rewriter::visit;

  Expr visit(const Function& f) override {
    std::vector<Ref<Var>> outer = std::exchange(params_, f.params), params;
    for (const Ref<Var>& p : f.params) {
      params.push_back(half_inputs_.contains(p->name) ? p->with_type(retyped(p->type, kHalf)) : p);
      if (params.back() != p) replace(p, params.back());
    }
    Expr out = Rewriter::visit(f);
    params_ = std::move(outer);
    if (params == f.params) return out;
    const Ref<SeqExpr>& body = find<Function>(out)->body;
    return Function::make(std::move(params), body, nullptr, f.is_pure, f.attrs, f.span);
  }

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    begins_ = block->is_dataflow;
    auto outer = std::exchange(halved_, {});
    Ref<BindingBlock> visited = Rewriter::visit_block(block);
    halved_ = std::move(outer);
    return visited;
  }

  // An expression that is not converted uses variables in their original type.
  Expr visit(const Var& var) override { return operand(current(Expr(&var)), var.type); }

  void visit(const Binding& b) override {
    if (!in_dataflow()) return Rewriter::visit(b);
    if (std::exchange(begins_, false))
      for (const Ref<Var>& p : params_) halve_if_needed(p);
    const auto* call = find<Call>(b.value);
    const Op* op = call ? op_of(*call) : nullptr;
    const bool is_name = find<Var>(b.value) || find<Tuple>(b.value) || find<TupleGetItem>(b.value);
    if (b.is_match_cast() || !(op || is_name)) {
      Rewriter::visit(b);
    } else {
      Expr value = op ? call_value(b, *call, *op) : current(b.value);
      bind(b, b.var->is_dataflow ? value : cast(value, b.var->type));
    }
    halve_if_needed(b.var);
  }

  // Returns an operand in its current precision, or a non-nested expression of such operands.
  Expr current(const Expr& e) {
    if (Ref<Var> var = find_ref<Var>(e)) {
      auto halved = halved_.find(var);
      return halved == halved_.end() ? Rewriter::visit(*var) : halved->second;
    }
    Expr mapped = map_tuple_parts(e, [this](const Expr& part) { return current(part); });
    return mapped ? mapped : visit(e);
  }

  Expr call_value(const Binding& b, const Call& call, const Op& op) {
    std::vector<Expr> args;
    for (const Expr& a : call.args) args.push_back(current(a));
    if (op.name() == "wrap_param" && is_between_floats(call)) return args[0];
    if (op.info.precision == Precision::Half && can_compute_on_halves(call)) {
      for (Expr& a : args) a = operand(a, retyped(a->type, kHalf));
      AttrMap attrs = call.attrs.values();
      if (op.find_param("out_dtype")) attrs["out_dtype"] = out_dtype_;
      Expr product = Call::make(call.callee, std::move(args), Attrs(std::move(attrs)), call.type_args, call.span);
      return b.var->is_dataflow ? cast(product, retyped(product->type, kHalf)) : product;
    }
    const bool follows = op.info.precision == Precision::Follow;
    const DType to = follows && std::ranges::all_of(args, can_be_halved) ? kHalf : kFull;
    for (size_t i = 0; i < args.size(); ++i)
      args[i] = operand(args[i], follows ? retyped(args[i]->type, to) : call.args[i]->type);
    return call.with_args(std::move(args), call.type);
  }

  void halve_if_needed(const Ref<Var>& var) {
    auto need = needs_.find(var);
    if (need == needs_.end()) return;
    const Expr now = current(var);
    const Expr halved = cast(now, halved_where(now->type, need->second));
    if (halved != now) halved_[var] = emit(halved, var->name);
  }

  // Returns `e`, converted to the float dtypes of `type` where they differ.
  Expr cast(const Expr& e, const Type& type) {
    if (!e->type || !type || same_dtypes(e->type, type)) return e;
    if (const auto* tensor = find<TensorType>(type))
      return Call::make(builtin_ops().get("astype"), {emit(e, "lv")}, Attrs(AttrMap{{"dtype", tensor->dtype}}));
    const auto* types = find<TupleType>(type);
    const auto* written = find<Tuple>(e);
    const Expr tuple = written ? e : emit(e, "lv");
    std::vector<Expr> fields;
    for (size_t i = 0; i < types->fields.size(); ++i) {
      Expr field = written ? written->fields[i] : emit(TupleGetItem::make(tuple, static_cast<int>(i)), "lv");
      fields.push_back(operand(field, types->fields[i]));
    }
    return Tuple::make(std::move(fields));
  }

  // Returns `cast(e, type)` bound to a variable, unless it is a tuple expression.
  Expr operand(const Expr& e, const Type& type) {
    const Expr converted = cast(e, type);
    return find<Tuple>(converted) ? converted : emit(converted, "lv");
  }

  PrecisionNeeds needs_;
  const DType out_dtype_;
  const std::set<std::string>& half_inputs_;
  std::vector<Ref<Var>> params_;
  std::unordered_map<Ref<Var>, Expr> halved_;  // for the current block
  bool begins_ = false;                        // true until the first binding of a dataflow block is visited
};

void check_names(const Module& m, const std::set<std::string>& names) {
  std::vector<std::string> known;
  for (const FunctionEntry& e : m.functions())
    if (const auto* f = find<Function>(Expr(e.func)))
      for (const Ref<Var>& p : f->params) known.push_back(p->name);
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      fail("E0514", {}, fmt::format("to-mixed-precision: no function has a parameter `{}`", name),
           did_you_mean(name, known));
}

}  // namespace

Module to_mixed_precision(const Module& m, const PassContext& ctx) {
  const PassArguments args("to-mixed-precision", ctx);
  const std::string out = args.string("out_dtype");
  if (out != "float16" && out != "float32")
    fail("E0514", {}, fmt::format("to-mixed-precision: `out_dtype` is float16 or float32, not {}", out));
  const std::vector<std::string> names = args.strings("fp16_input_names");
  const std::set<std::string> half_inputs(names.begin(), names.end());
  check_names(m, half_inputs);
  return map_functions(m, [&](const Ref<Function>& f) {
    return MixedPrecision(precision_needs(*f), out == "float16" ? kHalf : kFull, half_inputs).rewrite(f);
  });
}

}  // namespace sunmao
