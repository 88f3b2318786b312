#include <algorithm>

#include "ops/lowering.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "passes/weights/weight_params.h"

namespace sunmao {
namespace {

// The ops that a run replaces.
class Chosen {
 public:
  explicit Chosen(const PassArguments& arguments)
      : only_(arguments.strings("only")), kept_(arguments.strings("keep")) {}
  bool has(const Op& op) const {
    const auto names = [&](const std::vector<std::string>& list) { return std::ranges::count(list, op.name()) > 0; };
    return !op.info.runs_on_vm && (only_.empty() || names(only_)) && !names(kept_);
  }

 private:
  std::vector<std::string> only_, kept_;
};

class Legalizer final : public Rewriter {
 public:
  /// `weights` are the parameters whose layout kernels may choose.
  Legalizer(BlockBuilder& functions, const Chosen& chosen, std::unordered_set<Ref<Var>> weights)
      : functions_(functions), chosen_(chosen), weights_(std::move(weights)) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override { return legal(Rewriter::visit(call)); }

  // Legalizes the expression that the decomposition of an op returned: first the operands, then the expression.
  Expr legal(const Expr& e) {
    if (const auto* tuple = find<Tuple>(e)) {
      std::vector<Expr> fields = operands(tuple->fields);
      return fields == tuple->fields ? e : Tuple::make(std::move(fields), tuple->span);
    }
    const auto* outer = find<Call>(e);
    if (!outer) return e;
    Ref<Call> c = outer->with_args(operands(outer->args));
    const Op* op = op_of(*c);
    if (!op || !chosen_.has(*op)) return c;
    if (op->info.decompose) {
      Expr simpler = op->info.decompose(*c);
      if (simpler != Expr(c)) return legal(simpler);
    }
    if (op->info.is_view) return view(*c);
    return op->info.lower ? kernel(*c, *op) : Expr(c);
  }

  std::vector<Expr> operands(const std::vector<Expr>& list) {
    std::vector<Expr> out;
    for (const Expr& e : list) {
      bool computes = find<Call>(e) || find<TupleGetItem>(e);
      out.push_back(computes ? emit(legal(e), "lv") : find<Tuple>(e) ? legal(e) : e);
    }
    return out;
  }

  // Tensors are dense and row-major, so a reshape becomes a view of the same memory.
  static Expr view(const Call& c) {
    const auto* type = find<TensorType>(c.type);
    if (!type->dims()) return Expr(&c);
    return Call::make(builtin_ops().get("memory.view"), {c.args[0], ShapeExpr::make(*type->dims())}, {}, {}, c.span);
  }

  // Kernels have no tuple parameters, so tuples are flattened into their fields.
  void add_tensors(const Expr& arg, std::vector<Expr>& out) {
    if (find<TensorType>(arg->type)) {
      out.push_back(arg);
    } else if (const auto* literal = find<Tuple>(arg)) {
      for (const Expr& field : literal->fields) add_tensors(field, out);
    } else if (const auto* tuple = find<TupleType>(arg->type)) {
      for (size_t i = 0; i < tuple->fields.size(); ++i)
        if (find<TensorType>(tuple->fields[i]))
          out.push_back(emit(TupleGetItem::make(arg, static_cast<int>(i)), "part"));
    }
  }

  Expr kernel(const Call& c, const Op& op) {
    const bool is_prepared = op.info.lower_prepared && weights_.contains(find_ref<Var>(c.args[op.info.prepared]));
    Ref<PrimFunc> func = find_ref<PrimFunc>(Expr(is_prepared ? prepared_kernel_of(c) : kernel_of(c)));
    if (!func) return Expr(&c);
    std::string hint = op.name();
    for (char& ch : hint)
      if (ch == '.') ch = '_';
    std::vector<Expr> tensors;
    for (const Expr& a : c.args) add_tensors(a, tensors);
    return call_kernel(functions_, hint, func, std::move(tensors), c.type, c.span);
  }

  BlockBuilder& functions_;
  const Chosen& chosen_;
  const std::unordered_set<Ref<Var>> weights_;
};

}  // namespace

Module legalize_ops(const Module& m, const PassContext& ctx) {
  const PassArguments arguments("legalize-ops", ctx);
  const bool prepares = arguments.bool_("prepares_weights");
  const Chosen chosen(arguments);
  BlockBuilder functions(m);
  WeightsOfFunctions weights = prepares ? find_weights(m) : WeightsOfFunctions();
  std::vector<FunctionEntry> changed;
  // By name, so that the numbers in the names of kernels do not depend on the order of the functions.
  std::vector<FunctionEntry> entries = m.functions();
  std::ranges::sort(entries, {}, [](const FunctionEntry& e) { return e.var->name; });
  for (const FunctionEntry& e : entries) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f) continue;
    Ref<Function> legal = Legalizer(functions, chosen, std::move(weights[e.var->name])).rewrite(f);
    if (legal != f) changed.push_back({e.var, legal});
  }
  return changed.empty() ? m : functions.module().with_functions(std::move(changed));
}

}  // namespace sunmao
