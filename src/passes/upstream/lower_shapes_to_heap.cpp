// The pass `lower-shapes-to-heap`: functions check what they are given, write the sizes that they find into a heap of
// numbers, compute the others by loop-level functions over it, and make shapes from it. Types stay as they are.
#include "ir/builder.h"
#include "ir/type_relation.h"
#include "ir/walk.h"
#include "loop/prim_func.h"
#include "ops/ops.h"
#include "passes/passes.h"
#include "passes/upstream/shape_slots.h"
#include "passes/upstream/value_checks.h"
#include "support/diagnostic.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

class ShapeLowerer final : public Rewriter {
 public:
  ShapeLowerer(BlockBuilder& functions, const FunctionEntry& entry, const Function& function, bool states_context)
      : functions_(functions), name_(entry.var->name), function_(function), states_context_(states_context),
        slots_(function) {}

  Ref<Function> lower() {
    heap_ = Var::make("shape_heap", slots_.count() > 0 ? heap_type() : AnyType::make());
    end_ = Var::make("_", TupleType::make({}));
    std::vector<Ref<BindingBlock>> blocks{BindingBlock::make({{heap_, new_heap(), {}, function_.span}})};
    const std::vector<Ref<BindingBlock>>& own = function_.body->blocks;
    blocks.insert(blocks.end(), own.begin(), own.end());
    blocks.push_back(BindingBlock::make({{end_, Tuple::make({}), {}, function_.span}}));
    result_ = find_ref<Var>(function_.body->body);
    if (!result_) result_ = Var::make("gv", function_.body->body->type);
    Ref<SeqExpr> body = visit_seq(SeqExpr::make(std::move(blocks), result_, function_.body->span));
    return Function::make(function_.params, joined(*body), function_.result_type, function_.is_pure, function_.attrs,
                          function_.span);
  }

 private:
  using Rewriter::visit;

  static Type heap_type() { return TensorType::make_unknown(DType::int_(64), 1); }

  Expr new_heap() const {
    if (slots_.count() == 0) return Call::make(builtin_ops().get("null_value"), {});
    return Call::make(builtin_ops().get("call_builtin_with_ctx"),
                      {ExternFunc::make("vm.builtin.alloc_shape_heap"), Tuple::make({int_value(slots_.count())})}, {},
                      {heap_type()}, function_.span);
  }

  // Neighbouring blocks that are no dataflow blocks become one.
  static Ref<SeqExpr> joined(const SeqExpr& seq) {
    std::vector<Ref<BindingBlock>> blocks;
    for (const Ref<BindingBlock>& block : seq.blocks) {
      if (blocks.empty() || blocks.back()->is_dataflow || block->is_dataflow) {
        blocks.push_back(block);
        continue;
      }
      std::vector<Binding> bindings = blocks.back()->bindings;
      bindings.insert(bindings.end(), block->bindings.begin(), block->bindings.end());
      blocks.back() = BindingBlock::make(std::move(bindings), blocks.back()->span);
    }
    return SeqExpr::make(std::move(blocks), seq.body, seq.span);
  }

  void visit(const Binding& b) override {
    if (b.var == heap_) {
      bind(b, b.value);
      check_parameters();
    } else if (b.var == end_) {
      check_result();
    } else if (b.is_match_cast()) {
      check_cast(b);
    } else {
      Expr made = made_from_heap(b.value);
      made ? bind(b, made) : Rewriter::visit(b);
    }
  }

  Expr visit(const Function& f) override {
    fail("E0534", f.span, "lower-shapes-to-heap: a local function is left, which has no heap of sizes",
         "run `lambda-lift` before");
  }

  Expr visit_leaf(const Expr& e) override {
    Expr made = made_from_heap(e);
    return made ? emit(made, "gv") : e;
  }

  void check_parameters() {
    const auto* stated = function_.attr<int64_t>("num_input");
    const size_t inputs = stated ? static_cast<size_t>(*stated) : function_.params.size();
    Matches matches;
    for (size_t i = 0; i < function_.params.size(); ++i) {
      const Ref<Var>& p = function_.params[i];
      check(p->type, p, {.always = true, .dynamic_only = i >= inputs},
            fmt::format("fn={}, loc=param[{}], param={}, annotation={}", name_, i, p->name, describe(p->type)),
            matches);
    }
    match_all(matches);
  }

  void check_result() {
    const Expr result = Rewriter::visit(function_.body->body);
    if (function_.body->body != result_) replace(result_, result);
    if (!function_.result_type) return;
    Matches matches;
    check(function_.result_type, result, {},
          fmt::format("fn={}, loc=return, annotation={}", name_, describe(function_.result_type)), matches);
    match(matches, Round::Last);
  }

  void check_cast(const Binding& b) {
    Expr value = Rewriter::visit(b.value);
    if (!is_leaf(value)) value = emit(value, b.var->name);
    Matches matches;
    check(b.cast_type, value, {}, fmt::format("match_cast, annotation={}", describe(b.cast_type)), matches);
    match_all(matches);
    bind(b, value);
  }

  void check(const Type& type, const Expr& value, ValueChecks::Extent extent, const std::string& context,
             Matches& matches) {
    const Expr told = StringLiteral::make(states_context_ ? "ErrorContext(" + context + ") " : "");
    ValueChecks checks([this](Expr e, const char* name) { return emit(std::move(e), name); }, told, matches);
    checks.check(type, ValueChecks::Place(value), extent);
  }

  // A symbol is stored when a match first meets it; what is computed from symbols is matched in a second round.
  void match_all(const Matches& matches) {
    const Matches left = match(matches, Round::First);
    compute_what_is_known();
    match(left, Round::Last);
  }

  enum class Round : uint8_t { First, Last };

  Matches match(const Matches& matches, Round round) {
    Matches left;
    for (const Match& m : matches) {
      std::vector<Expr> codes;
      bool matches_some = false, leaves_some = false;
      for (const Scalar& size : m.pattern) {
        const auto [code, operand] = match_code(size, round);
        matches_some |= code != MatchCode::Nothing;
        leaves_some |= code == MatchCode::Nothing;
        codes.push_back(int_value(static_cast<int64_t>(code)));
        codes.push_back(int_value(operand));
      }
      if (leaves_some) left.push_back(m);
      if (matches_some) emit_match(m, std::move(codes));
    }
    return left;
  }

  void emit_match(const Match& m, std::vector<Expr> codes) {
    const Expr value = m.place.get();
    const bool is_number = find<PrimType>(value->type) != nullptr;
    std::vector<Expr> args{value, heap_};
    if (!is_number) args.push_back(int_value(static_cast<int64_t>(m.pattern.size())));
    args.insert(args.end(), codes.begin(), codes.end());
    args.push_back(m.context);
    emit_call(is_number ? "vm.builtin.match_prim_value" : "vm.builtin.match_shape", std::move(args));
  }

  void emit_call(const char* name, std::vector<Expr> args) {
    emit(Call::make(ExternFunc::make(name), std::move(args), {}, {TupleType::make({})}), "_");
  }

  // Returns what to do with a size, and the number or the place in the heap that it is compared with or stored to.
  std::pair<MatchCode, int64_t> match_code(const Scalar& size, Round round) {
    if (const auto* number = find<IntImm>(size)) return {MatchCode::EqualsNumber, number->value};
    ShapeSlot& slot = slot_of(size);
    if (slot.is_known) return {MatchCode::EqualsSlot, slot.index};
    if (find<SymVar>(size)) {
      slot.is_known = true;
      ready_.push_back(&slot);
      return {MatchCode::Store, slot.index};
    }
    if (round == Round::Last) fail_unknown(size);
    return {MatchCode::Nothing, 0};
  }

  ShapeSlot& slot_of(const Scalar& size) {
    ShapeSlot* slot = slots_.find(size);
    if (!slot) fail_unknown(size);
    return *slot;
  }

  [[noreturn]] void fail_unknown(const Scalar& size) const {
    fail("E0535", function_.span,
         fmt::format("lower-shapes-to-heap: `{}`: what `{}` is is not known where it is needed", name_, describe(size)),
         "a parameter or a match_cast must say the symbols in it, each as a whole dimension");
  }

  // Calls a function that computes the sizes whose symbols have become known.
  void compute_what_is_known() {
    std::vector<ShapeSlot*> computable;
    for (ShapeSlot* symbol : std::exchange(ready_, {}))
      for (ShapeSlot* user : symbol->users)
        if (--user->missing == 0) computable.push_back(user);
    if (computable.empty()) return;
    emit(Call::make_typed(functions_.add_function("shape_func", shape_function(computable)), {heap_}, {}, {},
                          TupleType::make({})),
         "_");
  }

  Ref<PrimFunc> shape_function(const std::vector<ShapeSlot*>& computable) const {
    const Ref<Buffer> heap = Buffer::make("H", DType::int_(64), {int_imm(slots_.count())});
    Substitution loads;
    for (const std::unique_ptr<ShapeSlot>& slot : slots_.all())
      if (Ref<SymVar> symbol = find_ref<SymVar>(slot->value))
        loads.emplace(symbol, BufferLoad::make(heap, {int_imm(slot->index)}));
    std::vector<Stmt> stores;
    for (ShapeSlot* slot : computable) {
      slot->is_known = true;
      stores.push_back(BufferStore::make(heap, substitute(slot->value, loads), {int_imm(slot->index)}));
    }
    return PrimFunc::make({{SymVar::make("H", DType::handle()), heap}}, Seq::make(std::move(stores)),
                          Attrs(AttrMap{{"s_tir", true}, {"tirx.is_host_func", true}}));
  }

  // Returns a call that makes the shape or number from the heap; null for other expressions.
  Expr made_from_heap(const Expr& e) {
    if (const auto* shape = find<ShapeExpr>(e)) {
      if (std::ranges::none_of(shape->values, is_computed_size)) return nullptr;
      std::vector<Expr> args{heap_, int_value(static_cast<int64_t>(shape->values.size()))};
      for (const Scalar& size : shape->values) add_source(size, args);
      return Call::make(ExternFunc::make("vm.builtin.make_shape"), std::move(args), {},
                        {ShapeType::make_unknown(static_cast<int>(shape->values.size()))}, e->span);
    }
    const auto* prim = find<PrimValue>(e);
    if (!prim || !is_computed_size(prim->value)) return nullptr;
    std::vector<Expr> args{heap_};
    add_source(prim->value, args);
    return Call::make(ExternFunc::make("vm.builtin.make_prim_value"), std::move(args), {},
                      {PrimType::make(prim->value->dtype)}, e->span);
  }

  void add_source(const Scalar& size, std::vector<Expr>& args) {
    const auto* number = find<IntImm>(size);
    if (!number && !slot_of(size).is_known) fail_unknown(size);
    args.push_back(int_value(static_cast<int64_t>(number ? MakeCode::Number : MakeCode::Slot)));
    args.push_back(int_value(number ? number->value : slot_of(size).index));
  }

  BlockBuilder& functions_;
  const std::string name_;
  const Function& function_;
  const bool states_context_;
  ShapeSlots slots_;
  std::vector<ShapeSlot*> ready_;  // symbols that became known since sizes were last computed
  Ref<Var> heap_, end_;            // the heap, and the binding in whose place the result is checked
  Ref<Var> result_;                // stands for the result where that is no variable
};

}  // namespace

Module lower_shapes_to_heap(const Module& m, const PassContext& ctx) {
  const auto given = ctx.arguments.find("emit_err_ctx");
  const bool* told = given == ctx.arguments.end() ? nullptr : given->second.find<bool>();
  BlockBuilder functions(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions())
    if (Ref<Function> f = find_ref<Function>(Expr(e.func)))
      changed.push_back({e.var, ShapeLowerer(functions, e, *f, !told || *told).lower()});
  return functions.module().with_functions(std::move(changed));
}

}  // namespace sunmao
