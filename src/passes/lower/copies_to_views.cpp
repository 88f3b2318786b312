// The pass `copies-to-views`: a kernel that only copies elements which lie side by side in an operand, such as rows or
// a part of a split, becomes a view of the operand, which moves nothing.
#include "ir/builder.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "passes/loop/side_by_side.h"
#include "passes/passes.h"
#include "sym/analyzer.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

class ViewMaker final : public Rewriter {
 public:
  explicit ViewMaker(const Module& m) : module_(m) {}

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    const std::optional<KernelCall> kernel = b.is_match_cast() ? std::nullopt : find_kernel_call(b.value, module_);
    const std::vector<OperandView> views = kernel ? copied_views(*kernel) : std::vector<OperandView>();
    if (views.empty()) return Rewriter::visit(b);
    const bool is_tuple = find<TupleType>(b.value->type);
    std::vector<Expr> made;
    for (size_t i = 0; i < views.size(); ++i) {
      const Expr seen = view(visit(kernel->inputs[views[i].operand]), views[i].begin, kernel->outputs[i], b.span);
      made.push_back(is_tuple ? emit(seen, b.var->name) : seen);
    }
    bind(b, is_tuple ? Expr(Tuple::make(std::move(made))) : made[0]);
  }

  static Expr view(const Expr& tensor, const Scalar& begin, const Type& type, const Span& span) {
    const auto* t = find<TensorType>(type);
    std::vector<Expr> args = {tensor, ShapeExpr::make(*t->dims())};
    Analyzer analyzer;
    const auto* whole = find<TensorType>(tensor->type);
    const bool is_all = analyzer.can_prove_equal(begin, int_imm(0)) &&
                        analyzer.can_prove_equal(product(*t->dims()), product(*whole->dims()));
    if (!is_all) {
      args.push_back(DTypeLiteral::make(t->dtype, span));
      args.push_back(PrimValue::make(within(begin, bytes_of(*t), bytes_of(*whole))));
    }
    return Call::make_typed(builtin_ops().get("memory.view"), std::move(args), {}, {}, type, span);
  }

  static Scalar bytes_of(const TensorType& t) { return product(*t.dims()) * int_imm(t.dtype.bytes()); }

  // Returns where a part begins. A part of no bytes may be cut off beyond the end; it is at the end then.
  static Scalar within(const Scalar& begin, const Scalar& part, const Scalar& whole) {
    Analyzer analyzer;
    for (const Ref<SymVar>& size : free_symbols(whole)) analyzer.assume(size, {0, Interval::kMax});
    const bool is_inside = analyzer.can_prove(Binary::make(BinaryOp::Ge, whole, begin));
    return is_inside ? begin : analyzer.simplify(min(begin, whole - part));
  }

  const Module& module_;
};

}  // namespace

Module copies_to_views(const Module& m, const PassContext&) {
  return map_functions(m, [&](const Ref<Function>& f) { return ViewMaker(m).rewrite(f); });
}

}  // namespace sunmao
