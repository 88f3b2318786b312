// The pass `lift-temporaries`: turns a temporary of a kernel that is large, even after scheduling, into an
// additional result of the kernel that nothing uses. Memory planning then allocates it like any other tensor. A call
// whose results `lower-call-tir` has made arguments gets memory for the temporary beside theirs.
#include <algorithm>

#include "ir/builder.h"
#include "loop/builder.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/lower/large_temporaries.h"
#include "passes/passes.h"
#include "passes/schedule/kernel_summary.h"

namespace sunmao {
namespace {

struct Lifted {
  Ref<GlobalVar> var;
  std::vector<Ref<Buffer>> temporaries;
};

// A call of a loop-level function on its inputs and results, as `lower-call-tir` leaves it.
struct FillingCall {
  const GlobalVar* callee;
  std::vector<Expr> tensors;
  Expr scalars;  // null when there are none
};

std::optional<FillingCall> find_filling_call(const Expr& e) {
  const auto* call = find<Call>(e);
  if (!call) return std::nullopt;
  if (const auto* callee = find<GlobalVar>(call->callee)) return FillingCall{callee, call->args, nullptr};
  const bool has_scalars = find_call(e, "vm.call_tir_dyn") != nullptr;
  const auto* callee = has_scalars ? find<GlobalVar>(call->args[0]) : nullptr;
  const auto* args = callee ? find<Tuple>(call->args[1]) : nullptr;
  if (!args || args->fields.empty() || !find<ShapeExpr>(args->fields.back())) return std::nullopt;
  return FillingCall{callee, {args->fields.begin(), args->fields.end() - 1}, args->fields.back()};
}

// Returns the values in the caller of those symbols of a function that the types of the arguments say; nullopt when
// they do not match the parameters.
std::optional<Substitution> symbols_of(const PrimFunc& func, const FillingCall& call) {
  Substitution out;
  const std::vector<Ref<Buffer>> buffers = func.buffers();
  if (buffers.size() != call.tensors.size()) return std::nullopt;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto* t = find<TensorType>(call.tensors[i]->type);
    if (!t || (t->dims() && t->rank != buffers[i]->rank())) return std::nullopt;
    for (size_t d = 0; t->dims() && d < t->dims()->size(); ++d)
      if (Ref<SymVar> s = find_ref<SymVar>(buffers[i]->shape[d])) out.try_emplace(s, (*t->dims())[d]);
  }
  const auto* scalars = find<ShapeExpr>(call.scalars);
  size_t next = 0;
  for (const PrimParam& p : func.params) {
    if (p.buffer) continue;
    if (!scalars || next == scalars->values.size()) return std::nullopt;
    out[p.var] = scalars->values[next++];
  }
  return out;
}

class Lifter final : public Rewriter {
 public:
  explicit Lifter(const Module& m) : module_(m), functions_(m) {}
  Module run() {
    Module rewritten = map_functions(module_, [&](const Ref<Function>& f) { return rewrite(f); });
    if (rewritten.same_as(module_)) return module_;
    return with_new_functions(rewritten, functions_.module());
  }

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    const auto* call = find<Call>(b.value);
    std::optional<KernelCall> kernel = call ? find_kernel_call(b.value, module_) : std::nullopt;
    const Lifted* lifted = kernel ? lifted_form(kernel->func, kernel->callee->name) : nullptr;
    if (!lifted) return give_memory(b);
    std::vector<Type> results = kernel->outputs;
    for (const Ref<Buffer>& t : lifted->temporaries)
      results.push_back(TensorType::make(dims_of(*t, kernel->symbols), t->dtype));
    std::vector<Expr> args{lifted->var};
    for (size_t i = 1; i < call->args.size(); ++i) args.push_back(Rewriter::visit(call->args[i]));
    const Expr all = emit(Call::make(call->callee, std::move(args), call->attrs, std::move(results), call->span), "lv");
    std::vector<Expr> fields;
    for (size_t i = 0; i < kernel->outputs.size(); ++i) fields.push_back(TupleGetItem::make(all, static_cast<int>(i)));
    if (fields.size() == 1) return bind(b, fields[0]);
    for (Expr& f : fields) f = emit(f, "lv");
    bind(b, Tuple::make(std::move(fields)));
  }

  static std::vector<Scalar> dims_of(const Buffer& temporary, const Substitution& symbols) {
    std::vector<Scalar> dims;
    for (const Scalar& d : temporary.shape) dims.push_back(substitute(d, symbols));
    return dims;
  }

  static bool has_known_dims(const Buffer& temporary, const Substitution& symbols) {
    return std::ranges::all_of(temporary.shape, [&](const Scalar& d) {
      return std::ranges::all_of(free_symbols(d), [&](const Ref<SymVar>& s) { return symbols.contains(s); });
    });
  }

  // Rewrites a call that fills tensors: it also gets memory for the large temporaries of the function.
  void give_memory(const Binding& b) {
    std::optional<FillingCall> call = find_filling_call(b.value);
    Ref<PrimFunc> func = call ? module_.find_as<PrimFunc>(call->callee->name) : nullptr;
    std::optional<Substitution> symbols = func ? symbols_of(*func, *call) : std::nullopt;
    const Lifted* lifted = symbols ? lifted_form(func, call->callee->name) : nullptr;
    const auto is_sized = [&](const Ref<Buffer>& t) { return has_known_dims(*t, *symbols); };
    if (!lifted || !std::ranges::all_of(lifted->temporaries, is_sized)) return Rewriter::visit(b);
    const Call& old = *find<Call>(b.value);
    std::vector<Expr> args;
    for (const Expr& tensor : call->tensors) args.push_back(Rewriter::visit(tensor));
    for (const Ref<Buffer>& t : lifted->temporaries) {
      std::vector<Expr> wanted{ShapeExpr::make(dims_of(*t, *symbols)), DTypeLiteral::make(t->dtype),
                               PrimValue::make(int_imm(0)), StringLiteral::make("global")};
      args.push_back(
          emit(Call::make(builtin_ops().get("builtin.alloc_tensor"), std::move(wanted), {}, {}, old.span), "alloc"));
    }
    if (!call->scalars)
      return bind(b, Call::make_typed(lifted->var, std::move(args), old.attrs, old.type_args, old.type, old.span));
    args.push_back(call->scalars);
    bind(b, old.with_args({lifted->var, Tuple::make(std::move(args))}));
  }

  // Returns the kernel with its large temporaries as additional results; null when it has none.
  const Lifted* lifted_form(const Ref<PrimFunc>& func, const std::string& name) {
    auto [found, is_new] = known_.try_emplace(name);
    if (is_new) found->second = lift(func, name);
    return found->second.var ? &found->second : nullptr;
  }

  Lifted lift(const Ref<PrimFunc>& func, const std::string& name) {
    const Ref<PrimFunc> moved = with_large_temporaries_at_root(func);
    const PrimFunc& f = *moved;
    const auto* realize = find<BlockRealize>(f.body);
    if (!realize || !realize->values.empty()) return {};
    Block::Parts parts = realize->block->parts();
    Lifted out;
    if (std::ranges::all_of(parts.alloc_buffers, [](const Ref<Buffer>& b) { return stays_in_kernel(*b); })) return {};
    // A temporary that has become a parameter is in no group, so that schedules may leave another one in memory.
    Ref<PrimFunc> now = func;
    const auto move_out = [&](const std::set<std::string>& held) {
      return std::erase_if(parts.alloc_buffers, [&](const Ref<Buffer>& b) {
        const bool goes = !stays_in_kernel(*b) && held.contains(b->name);
        if (goes) out.temporaries.push_back(b);
        return goes;
      });
    };
    while (move_out(summarize_kernel(now).held) > 0) now = with_parameters(f, *realize, parts, out.temporaries);
    if (out.temporaries.empty()) return {};
    out.var = functions_.add_function(name + "_planned", now);
    return out;
  }

  // Returns the kernel with these parts of its root, and with the temporaries as parameters behind its tensors.
  static Ref<PrimFunc> with_parameters(const PrimFunc& f, const BlockRealize& root, const Block::Parts& parts,
                                       const std::vector<Ref<Buffer>>& temporaries) {
    std::vector<PrimParam> params = f.params;
    auto scalars = std::ranges::find_if(params, [](const PrimParam& p) { return !p.buffer; });
    std::vector<PrimParam> more;
    for (const Ref<Buffer>& b : temporaries) more.push_back({SymVar::make("p_" + b->name, DType::handle()), b});
    params.insert(scalars, more.begin(), more.end());
    AttrMap attrs = f.attrs.values();
    attrs.erase("global_symbol");
    Stmt body = BlockRealize::make(root.values, root.predicate, Block::make(parts));
    return PrimFunc::make(std::move(params), body, Attrs(std::move(attrs)), f.result_type, f.span);
  }

  const Module& module_;
  BlockBuilder functions_;
  std::unordered_map<std::string, Lifted> known_;
};

}  // namespace

Module lift_temporaries(const Module& m, const PassContext&) { return Lifter(m).run(); }

}  // namespace sunmao
