// The pass `check-sizes`: inserts run-time checks for relations between sizes that inference could not prove:
// match_casts of the arguments or, when no argument has the size as a dimension, of a shape.
#include <algorithm>
#include <utility>

#include "ir/equal.h"
#include "ir/size_demands.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/kernel_call.h"
#include "passes/passes.h"
#include "sym/equal.h"

namespace sunmao {
namespace {

// Appends a demand for each dimension of `given` that is not provably equal to that of `expected`.
void add_demands(const Type& expected, const Type& given, Analyzer& analyzer, std::vector<SizeDemand>& out) {
  if (const auto* tuple = find<TupleType>(expected)) {
    const auto* fields = find<TupleType>(given);
    for (size_t i = 0; fields && i < std::min(tuple->fields.size(), fields->fields.size()); ++i)
      add_demands(tuple->fields[i], fields->fields[i], analyzer, out);
  }
  const auto *e = find<TensorType>(expected), *g = find<TensorType>(given);
  if (!e || !g || !e->dims() || !g->dims() || e->rank != g->rank) return;
  for (size_t i = 0; i < e->dims()->size(); ++i)
    if (!analyzer.can_prove_equal((*g->dims())[i], (*e->dims())[i])) out.push_back({(*g->dims())[i], (*e->dims())[i]});
}

// Returns the size demands of a loop-level function's buffers, in the caller's symbols.
std::vector<SizeDemand> kernel_demands(const KernelCall& kernel) {
  std::vector<SizeDemand> out;
  std::vector<Type> given;
  for (const Expr& input : kernel.inputs) given.push_back(input->type);
  given.insert(given.end(), kernel.outputs.begin(), kernel.outputs.end());
  Analyzer analyzer;
  const std::vector<Ref<Buffer>> buffers = kernel.func->buffers();
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::vector<Scalar> dims;
    for (const Scalar& d : buffers[i]->shape) dims.push_back(analyzer.simplify(substitute(d, kernel.symbols)));
    add_demands(TensorType::make(std::move(dims), buffers[i]->dtype), given[i], analyzer, out);
  }
  return out;
}

// Returns a sequence whose result is cast to the type.
Ref<SeqExpr> with_cast_result(const SeqExpr& seq, const Type& type, const Span& span) {
  const Ref<Var> result = Var::make("result", type, span);
  std::vector<Ref<BindingBlock>> blocks = seq.blocks;
  blocks.push_back(BindingBlock::make({{result, seq.body, type, span}}));
  return SeqExpr::make(merge_blocks(blocks), result, seq.span);
}

class Checker final : public Rewriter {
 public:
  explicit Checker(const Module& module) : module_(module) {}

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    if (b.is_match_cast()) note_check(b);
    has_place_ = true;
    Expr value = Rewriter::visit(b.value);
    has_place_ = false;
    bind(b, value);
  }

  // A check is valid until the end of its sequence (a branch or a function body).
  Ref<SeqExpr> visit_seq(const Ref<SeqExpr>& seq) override {
    const bool outer = std::exchange(has_place_, false);
    const std::vector<SizeDemand> checked = checked_;
    Ref<SeqExpr> visited = Rewriter::visit_seq(seq);
    checked_ = checked;
    has_place_ = outer;
    return visited;
  }

  // Casts in one branch alone let the branches state different sizes, of which the choice would know none.
  Expr visit(const If& original) override {
    const Expr visited = Rewriter::visit(original);
    const auto* choice = find<If>(visited);
    if (!choice || structural_equal(choice->type, original.type)) return visited;
    const auto as_before = [&](const Ref<SeqExpr>& branch) {
      const bool is_same = structural_equal(branch->type, original.type);
      return is_same ? branch : with_cast_result(*branch, original.type, original.span);
    };
    return If::make(choice->condition, as_before(choice->then_branch), as_before(choice->else_branch), original.span);
  }

  Expr visit(const Call& original) override {
    Expr visited = Rewriter::visit(original);
    Ref<Call> call = find_ref<Call>(visited);
    if (!has_place_ || !call) return visited;
    if (auto kernel = find_kernel_call(visited, module_)) {
      check(kernel_demands(*kernel), call->span);
      return visited;
    }
    const AgreedCall agreed = agree_on_sizes(call, in_dataflow() ? &Var::make_dataflow : &Var::make);
    for (const AgreedCall::Cast& c : agreed.casts) bind({c.to, c.from, c.to->type, call->span}, c.from);
    check(agreed.rest, call->span);
    return agreed.call;
  }

  bool is_checked(const SizeDemand& d) const {
    return std::ranges::any_of(checked_, [&](const SizeDemand& c) {
      return structural_equal(c.value, d.value) && structural_equal(c.expected, d.expected);
    });
  }

  void note_check(const Binding& cast) {
    const auto* shape = find<ShapeExpr>(cast.value);
    const auto* type = find<ShapeType>(cast.cast_type);
    if (!shape || !type || !type->values || type->values->size() != shape->values.size()) return;
    for (size_t i = 0; i < shape->values.size(); ++i) checked_.push_back({shape->values[i], (*type->values)[i]});
  }

  void check(const std::vector<SizeDemand>& demands, const Span& span) {
    std::vector<Scalar> values, expected;
    for (const SizeDemand& d : demands) {
      if (is_checked(d)) continue;
      checked_.push_back(d);
      values.push_back(d.value);
      expected.push_back(d.expected);
    }
    if (values.empty()) return;
    Type type = ShapeType::make(std::move(expected));
    Expr shape = ShapeExpr::make(std::move(values), span);
    Ref<Var> var = in_dataflow() ? Var::make_dataflow("sizes", type, span) : Var::make("sizes", type, span);
    bind({var, shape, type, span}, shape);
  }

  const Module& module_;
  bool has_place_ = false;  // true inside a binding, before which checks can be inserted
  std::vector<SizeDemand> checked_;
};

// Casts the result to the declared result type when its sizes are not provably equal.
Ref<Function> with_checked_result(const Ref<Function>& f) {
  if (!f->result_type) return f;
  Analyzer analyzer;
  std::vector<SizeDemand> open;
  add_demands(f->result_type, f->body->body->type, analyzer, open);
  if (open.empty()) return f;
  return Function::make(f->params, with_cast_result(*f->body, f->result_type, f->span), f->result_type, f->is_pure,
                        f->attrs, f->span);
}

}  // namespace

Module check_sizes(const Module& m, const PassContext&) {
  return map_functions(m, [&](const Ref<Function>& f) { return with_checked_result(Checker(m).rewrite(f)); });
}

}  // namespace sunmao
