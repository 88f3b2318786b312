#include <algorithm>

#include "ir/builder.h"
#include "ir/walk.h"
#include "loop/prim_func.h"
#include "passes/analysis/kernel_call.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// Maximum number of elements of a small result; larger constants would grow the module.
constexpr int64_t kSmall = 1024;

// Size of a result of constant shape; 0 for a shape value. `extent_of` returns nullopt when the shape is not constant
// or the size overflows.
struct Extent {
  int64_t elements = 0, bytes = 0;
};
std::optional<Extent> extent_of(const Type& type) {
  if (find<ShapeType>(type)) return Extent{};
  if (const auto* tuple = find<TupleType>(type)) {
    Extent sum;
    for (const Type& field : tuple->fields) {
      std::optional<Extent> part = extent_of(field);
      if (!part || __builtin_add_overflow(sum.bytes, part->bytes, &sum.bytes)) return std::nullopt;
      sum.elements += part->elements;
    }
    return sum;
  }
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims() || tensor->is_unknown_dtype()) return std::nullopt;
  Extent out{1, 0};
  for (const Scalar& d : *tensor->dims()) {
    const int64_t* size = find_int(d);
    if (!size || __builtin_mul_overflow(out.elements, *size, &out.elements)) return std::nullopt;
  }
  if (__builtin_mul_overflow(out.elements, int64_t{tensor->dtype.bytes()}, &out.bytes)) return std::nullopt;
  out.bytes = tensor->dtype.bytes_of(out.elements);
  return out;
}

class Folder final : public Rewriter {
 public:
  Folder(const Module& module, const PassContext& ctx)
      : module_(module), ctx_(ctx), kept_(PassArguments("fold-constants", ctx).strings("keep")),
        small_may_grow_(PassArguments("fold-constants", ctx).bool_("small_may_grow")) {}

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    const auto* call = find<Call>(b.value);
    if (!call || b.is_match_cast()) return Rewriter::visit(b);
    Expr value = Rewriter::visit(b.value);
    if (const auto* known = find<Call>(value))
      if (Expr folded = fold(*known)) value = folded;
    // A constant replaces its variable; a tuple of constants stays bound to its variable.
    if (find<Constant>(value) || find<ShapeExpr>(value)) return replace(b.var, value);
    bind(b, value);
  }

  // Returns the value of a call on known operands; null when the call cannot or must not be folded.
  Expr fold(const Call& call) const {
    const Op* op = op_of(call);
    if (!op || !op->info.is_pure || op->info.is_random || std::ranges::count(kept_, op->name())) return nullptr;
    const bool is_loop_call = is_kernel_call(call);
    // In plain blocks, only calls of loop-level functions are folded: upstream programs use plain blocks to prevent
    // folding.
    if (!is_loop_call && !(in_dataflow() && (op->info.lower || op->info.decompose || op->info.is_foldable)))
      return nullptr;
    const std::optional<Extent> out = extent_of(is_loop_call ? call.type_args[0] : call.type);
    if (!out) return nullptr;
    size_t bytes_in = 0;
    bool has_tensor = false;
    for (const Expr& arg : call.args)
      if (!add_known(arg, bytes_in, has_tensor)) return nullptr;
    // Limits the growth of the module: a call without constant tensors, such as a fill, is folded only to a small
    // result; an op call on constant tensors only when the result is not larger than these tensors, or small where that
    // may grow; a call_tir on constant tensors always.
    const bool grows = static_cast<size_t>(out->bytes) > bytes_in && !(has_tensor && is_loop_call);
    if (grows && (out->elements > kSmall || (has_tensor && !small_may_grow_))) return nullptr;
    return to_expr(run(call), call.span);
  }

  // Adds the bytes of the constants in `arg` to `bytes`; returns false when `arg` is not a compile-time value.
  bool add_known(const Expr& arg, size_t& bytes, bool& has_tensor) const {
    if (const auto* constant = find<Constant>(arg)) {
      bytes += constant->data.size_bytes();
      has_tensor = true;
      return true;
    }
    if (const auto* tuple = find<Tuple>(arg))
      return std::ranges::all_of(tuple->fields, [&](const Expr& f) { return add_known(f, bytes, has_tensor); });
    if (const auto* shape = find<ShapeExpr>(arg))
      return std::ranges::all_of(shape->values, [](const Scalar& v) { return find_int(v) != nullptr; });
    if (const auto* value = find<PrimValue>(arg)) return free_symbols(value->value).empty();
    if (const auto* callee = find<GlobalVar>(arg)) return find<PrimFunc>(Expr(module_.find(callee->name)));
    return find<StringLiteral>(arg) || find<DTypeLiteral>(arg);
  }

  Value run(const Call& call) const {
    Module single;
    if (const auto* callee = call.args.empty() ? nullptr : find<GlobalVar>(call.args[0]))
      single = single.with_function(Ref<GlobalVar>(callee), module_.find(callee->name));
    BlockBuilder b(single);
    Expr result = b.emit_output(Expr(&call));
    return ctx_.executor->call(single.with_function("folded", b.finish_function({}, result)), "folded", {});
  }

  static Expr to_expr(const Value& value, const Span& span) {
    if (const Array* array = value.array()) return Constant::make(*array, span);
    if (const ShapeValue* shape = value.shape()) {
      std::vector<Scalar> values;
      for (int64_t v : *shape) values.push_back(int_imm(v));
      return ShapeExpr::make(std::move(values), span);
    }
    const ValueTuple* tuple = value.tuple();
    if (!tuple) return nullptr;
    std::vector<Expr> fields;
    for (const Value& field : *tuple) fields.push_back(to_expr(field, span));
    return Tuple::make(std::move(fields), span);
  }

  const Module& module_;
  const PassContext& ctx_;
  const std::vector<std::string> kept_;  // ops excluded from folding by the program
  const bool small_may_grow_;
};

}  // namespace

Module fold_constants(const Module& m, const PassContext& ctx) {
  return map_functions(m, [&](const Ref<Function>& f) { return Folder(m, ctx).rewrite(f); });
}

}  // namespace sunmao
