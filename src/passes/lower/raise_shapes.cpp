// The pass `raise-shapes`: shapes that a lowered program makes from a heap of sizes become shapes of symbols again.
// What a slot of the heap holds is known at each place: a size that a match reads, a number, or what a loop-level
// function computes from other slots. Matches and checks become casts where types do not say already what they compare.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/type_relation.h"
#include "ir/walk.h"
#include "passes/analysis/heap_codes.h"
#include "passes/analysis/variables.h"
#include "passes/lower/builtin_use.h"
#include "passes/lower/in_function.h"
#include "passes/passes.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"
#include "sym/analyzer.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

class ShapeRaiser final : public Rewriter {
 public:
  ShapeRaiser(const Module& module, NameSupply& symbols, std::unordered_set<std::string>& computed)
      : module_(module), symbols_(symbols), computed_(computed) {}

 private:
  using Rewriter::visit;
  using Slots = std::vector<Scalar>;  // null where nothing is known

  [[noreturn]] static void refuse_heap(const Span& span, const std::string& what) {
    fail("E1020", span, fmt::format("the virtual machine does not run {}", what), "see docs/errors/E1020.md");
  }

  [[noreturn]] static void refuse_code(const BuiltinUse& use, int64_t code) {
    refuse_heap(use.call->span, fmt::format("`vm.builtin.{}` with the code {}, which means nothing", use.name, code));
  }

  void visit(const Binding& b) override {
    const std::optional<BuiltinUse> use = b.is_match_cast() ? std::nullopt : find_builtin(b.value);
    if (!use) {
      if (find_shape_function(b) || find_renamed_heap(b)) return;
      return Rewriter::visit(b);
    }
    if (use->name == "alloc_shape_heap") return add_heap(b.var, *use);
    if (use->name == "match_shape") return match(*use, 3, use->integer(2));
    if (use->name == "match_prim_value") return match(*use, 2, 1);
    if (use->name == "make_shape") return replace(b.var, ShapeExpr::make(made_sizes(*use, 2, use->integer(1)), b.span));
    if (use->name == "make_prim_value") return replace(b.var, PrimValue::make(made_sizes(*use, 1, 1)[0], b.span));
    if (const Type type = use->checked_type()) return check(*use, type);
    const Expr op = use->as_op();
    op ? bind(b, visit(op)) : Rewriter::visit(b);
  }

  // Heaps.

  void add_heap(const Ref<Var>& var, const BuiltinUse& use) {
    constexpr int64_t kMostSlots = 1 << 20;
    const int64_t count = use.integer(0);
    if (count < 0 || count > kMostSlots) refuse_heap(use.call->span, fmt::format("a heap of {} sizes", count));
    heaps_.emplace(var, heaps_state_.size());
    heaps_state_.push_back(Slots(static_cast<size_t>(count)));
  }

  bool find_renamed_heap(const Binding& b) {
    const auto heap = b.is_match_cast() ? heaps_.end() : heaps_.find(find_ref<Var>(b.value));
    if (heap == heaps_.end()) return false;
    heaps_.emplace(b.var, heap->second);
    return true;
  }

  Slots* find_slots(const Expr& heap) {
    const auto found = heaps_.find(find_ref<Var>(heap));
    return found == heaps_.end() ? nullptr : &heaps_state_[found->second];
  }

  Scalar& slot(const BuiltinUse& use, size_t heap, int64_t index) {
    Slots* slots = find_slots(use.arg(heap));
    if (!slots || index < 0 || std::cmp_greater_equal(index, slots->size()))
      refuse_heap(use.call->span,
                  fmt::format("`vm.builtin.{}` of slot {}, which its heap does not have", use.name, index));
    return (*slots)[static_cast<size_t>(index)];
  }

  const Scalar& read_slot(const BuiltinUse& use, size_t heap, int64_t index) {
    const Scalar& value = slot(use, heap, index);
    if (!value)
      refuse_heap(use.call->span,
                  fmt::format("`vm.builtin.{}` of slot {}, of which it is not known what it holds", use.name, index));
    return value;
  }

  std::vector<Scalar> made_sizes(const BuiltinUse& use, size_t first, int64_t count) {
    std::vector<Scalar> out;
    for (size_t i = first; std::cmp_less(out.size(), count); i += 2) {
      const int64_t value = use.integer(i + 1);
      const int64_t code = use.integer(i);
      if (code != static_cast<int64_t>(MakeCode::Slot) && code != static_cast<int64_t>(MakeCode::Number))
        refuse_code(use, code);
      const bool is_slot = code == static_cast<int64_t>(MakeCode::Slot);
      out.push_back(is_slot ? read_slot(use, 0, value) : Scalar(int_imm(value)));
    }
    return out;
  }

  // Computes what a function of sizes writes to the heap; returns false for other bindings.
  bool find_shape_function(const Binding& b) {
    const auto* call = b.is_match_cast() ? nullptr : find<Call>(b.value);
    const auto* callee = call ? find<GlobalVar>(call->callee) : nullptr;
    Slots* slots = callee && call->args.size() == 1 ? find_slots(call->args[0]) : nullptr;
    if (!slots) return false;
    const Ref<PrimFunc> func = module_.find_as<PrimFunc>(callee->name);
    if (!func || !compute_slots(*func, *slots))
      refuse_heap(b.span, fmt::format("`{}`, which does more than to compute sizes from sizes", callee->name));
    for (Scalar& value : *slots) {
      if (value && nodes_of(value) > kMostNodes)
        refuse_heap(b.span, fmt::format("`{}`, which computes a size by more than {} steps", callee->name, kMostNodes));
      if (value) value = analyzer_.simplify(value);
    }
    computed_.insert(callee->name);
    return true;
  }

  static constexpr size_t kMostNodes = 1000;  // of a size that is computed: no program computes as much
  static size_t nodes_of(const Scalar& size) {
    size_t count = 0;
    visit_all(size, [&](const Scalar&) { ++count; });
    return count;
  }

  Expr visit(const Var& var) override {
    const Ref<Var> ref(&var);
    if (heaps_.contains(ref)) refuse_heap(var.span, fmt::format("a use of the heap of sizes `{}`", var.name));
    const auto seen = seen_.find(ref);
    return seen == seen_.end() ? Rewriter::visit(var) : seen->second;
  }

  // What one branch alone says is not known behind.
  Expr visit(const If& branch) override {
    const Expr condition = visit(branch.condition);
    const auto seen = seen_;
    const std::vector<Slots> before = heaps_state_;
    const Ref<SeqExpr> then_branch = visit_seq(branch.then_branch);
    seen_ = seen;
    const std::vector<Slots> after_then = std::exchange(heaps_state_, before);
    const Ref<SeqExpr> else_branch = visit_seq(branch.else_branch);
    seen_ = seen;
    for (size_t h = 0; h < before.size(); ++h)
      for (size_t i = 0; i < before[h].size(); ++i)
        if (after_then[h][i] != before[h][i] || heaps_state_[h][i] != before[h][i]) heaps_state_[h][i] = nullptr;
    heaps_state_.resize(before.size());
    if (condition == branch.condition && then_branch == branch.then_branch && else_branch == branch.else_branch)
      return Expr(&branch);
    return If::make(condition, then_branch, else_branch, branch.span);
  }

  // Matches and checks.

  void match(const BuiltinUse& use, size_t first, int64_t count) {
    const Expr value = visit(use.arg(0));
    const std::optional<Slots> given = known_sizes(value->type, count);
    if (!given) refuse_heap(use.call->span, fmt::format("a match of {} sizes with {}", count, describe(value->type)));
    Slots expected;
    bool is_said = true;
    for (size_t i = 0; i < given->size(); ++i) {
      const bool is_open = !(*given)[i];
      const Scalar size = is_open ? Scalar(SymVar::make(symbols_.fresh("n"), DType::int_(64))) : (*given)[i];
      expected.push_back(matched(use, first + 2 * i, size));
      is_said = is_said && !is_open && analyzer_.can_prove_equal(size, expected.back());
    }
    if (!is_said) cast(use, value, of_sizes(value->type, std::move(expected)));
  }

  Scalar matched(const BuiltinUse& use, size_t code, const Scalar& size) {
    const int64_t operand = use.integer(code + 1);
    const int64_t number = use.integer(code);
    if (number < 0 || number > static_cast<int64_t>(MatchCode::EqualsSlot)) refuse_code(use, number);
    switch (static_cast<MatchCode>(number)) {
      case MatchCode::EqualsNumber: return int_imm(operand);
      case MatchCode::EqualsSlot: return read_slot(use, 1, operand);
      case MatchCode::Store: return slot(use, 1, operand) = size;
      case MatchCode::Nothing: break;
    }
    return size;
  }

  // Returns the sizes that a type says, null ones where it leaves them open; nullopt when there are not so many.
  static std::optional<Slots> known_sizes(const Type& type, int64_t count) {
    if (count < 0 || count > static_cast<int64_t>(kMaxRank)) return std::nullopt;
    const Slots open(static_cast<size_t>(count));
    const auto fitting = [&](const std::vector<Scalar>& sizes) {
      return sizes.size() == open.size() ? std::optional(sizes) : std::nullopt;
    };
    if (const auto* tensor = find<TensorType>(type)) {
      if (tensor->dims()) return fitting(*tensor->dims());
      return tensor->rank == count ? std::optional(open) : std::nullopt;
    }
    if (const auto* shape = find<ShapeType>(type)) {
      if (shape->values) return fitting(*shape->values);
      return shape->rank == count ? std::optional(open) : std::nullopt;
    }
    const auto* number = find<PrimType>(type);
    if (!number || count != 1) return std::nullopt;
    return number->value ? Slots{number->value} : open;
  }

  static Type of_sizes(const Type& type, Slots sizes) {
    if (const auto* tensor = find<TensorType>(type))
      return TensorType::make(std::move(sizes), tensor->dtype, tensor->vdevice);
    if (find<ShapeType>(type)) return ShapeType::make(std::move(sizes));
    return PrimType::of_value(sizes[0]);
  }

  void check(const BuiltinUse& use, const Type& type) {
    const Expr value = visit(use.arg(0));
    if (base_check(type, value->type, analyzer_) != BaseCheck::Pass) cast(use, value, type);
  }

  // Later uses of the value see the cast.
  void cast(const BuiltinUse& use, const Expr& value, const Type& type) {
    const Ref<Var> given = find_ref<Var>(use.arg(0));
    const std::string name = given ? given->name : "matched";
    const Ref<Var> var =
        in_dataflow() ? Var::make_dataflow(name, type, value->span) : Var::make(name, type, value->span);
    bind({var, value, type, use.call->span}, value);
    if (given) seen_.insert_or_assign(given, var);
  }

  const Module& module_;
  NameSupply& symbols_;
  std::unordered_set<std::string>& computed_;  // the functions that compute sizes
  std::unordered_map<Ref<Var>, size_t> heaps_;
  std::vector<Slots> heaps_state_;
  std::unordered_map<Ref<Var>, Expr> seen_;  // what stands for values that have been cast
  Analyzer analyzer_;
};

}  // namespace

Module raise_shapes(const Module& m, const PassContext&) {
  NameSupply symbols;
  std::unordered_set<std::string> computed;
  const Module raised = map_functions(m, [&](const Ref<Function>& f) {
    return in_function(m, f, [&] { return ShapeRaiser(m, symbols, computed).rewrite(f); });
  });
  for (const FunctionEntry& e : raised.functions()) {
    if (e.func->attrs.has("global_symbol")) computed.erase(e.var->name);
    if (const auto* f = find<Function>(e.func))
      for (const Ref<GlobalVar>& used : all_global_vars(Expr(f))) computed.erase(used->name);
  }
  return computed.empty()
             ? raised
             : raised.without_functions([&](const FunctionEntry& e) { return computed.contains(e.var->name); });
}

}  // namespace sunmao
