#include "tests/random/structure.h"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/copy.h"
#include "ir/equal.h"
#include "ir/infer.h"
#include "ir/type_relation.h"
#include "ops/ops.h"
#include "passes/analysis/variables.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr int kMostDepth = 3;
constexpr int64_t kMostTogether = 8;

using Bindings = std::span<const Binding>;

enum class Form : uint8_t { Straight, Branch, BranchOfCalls, ModuleFunction, LocalFunction, Tuple, Loop };

// A range of consecutive bindings, and those of its variables that later bindings use.
struct Part {
  Bindings bindings;
  std::vector<Ref<Var>> results;

  Expr result() const {
    if (results.size() == 1) return results[0];
    return Tuple::make({results.begin(), results.end()});
  }
};

std::vector<Ref<Var>> reads_of(const Part& part) {
  std::unordered_set<Ref<Var>> bound;
  std::vector<Ref<Var>> reads;
  for (const Binding& b : part.bindings) {
    for (const Ref<Var>& v : free_vars(b.value))
      if (!bound.contains(v) && std::ranges::find(reads, v) == reads.end()) reads.push_back(v);
    bound.insert(b.var);
  }
  return reads;
}

Part first_part(Bindings bindings, size_t count, const Expr& result) {
  Part part{bindings.first(count), {}};
  std::unordered_set<Ref<Var>> read;
  for (const Ref<Var>& v : free_vars(result)) read.insert(v);
  for (const Binding& b : bindings.subspan(count))
    for (const Ref<Var>& v : free_vars(b.value)) read.insert(v);
  for (const Binding& b : part.bindings)
    if (read.contains(b.var)) part.results.push_back(b.var);
  return part;
}

Expr typed_call(const Expr& callee, const Type& type, std::vector<Expr> args) {
  Type result = infer_call(*find<CallableType>(type), args, {}, "a function");
  return Call::make_typed(callee, std::move(args), {}, {}, std::move(result));
}

// Returns the symbols that casts in an expression define.
std::unordered_set<Ref<SymVar>> cast_symbols_in(const Expr& e) {
  class Search final : public Visitor {
   public:
    std::unordered_set<Ref<SymVar>> found;
    using Visitor::visit;

   private:
    void visit(const Binding& b) override {
      Visitor::visit(b);
      if (!b.is_match_cast()) return;
      for (const Ref<SymVar>& s : definable_symbols(b.cast_type)) found.insert(s);
    }
  };
  Search search;
  search.visit(e);
  return std::move(search.found);
}

// Returns a function whose result type names no symbol that its body defines.
Ref<Function> function_of(const std::vector<Ref<Var>>& params, const Ref<SeqExpr>& body) {
  const std::unordered_set<Ref<SymVar>> inner = cast_symbols_in(Expr(body));
  Substitution known;
  for (const Ref<SymVar>& s : free_symbols(body->type))
    if (!inner.contains(s)) known.emplace(s, s);
  return Function::make(params, body, erase_to_well_defined(body->type, known), true);
}

class Structurer {
 public:
  explicit Structurer(Sampler& random) : random_(random) {}

  Structured run(const Function& straight) {
    std::vector<Binding> bindings;
    for (const Ref<BindingBlock>& block : straight.body->blocks)
      bindings.insert(bindings.end(), block->bindings.begin(), block->bindings.end());
    BlockBuilder b;
    const Expr result = fill(b, bindings, straight.body->body, {}, 0);
    std::vector<Ref<Var>> params = straight.params;
    const int64_t inputs = *straight.attrs.find<int64_t>("num_input");
    params.insert(params.begin() + inputs, conditions_.begin(), conditions_.end());
    const Attrs attrs = straight.attrs.with("num_input", inputs + std::ssize(conditions_));
    const Ref<Function> main = b.finish_function(std::move(params), result, attrs);
    return {module_.with_function("main", main), conditions_};
  }

 private:
  // Emits a copy of the bindings, whose value is `result`; `copy` maps variables to their copies.
  Expr fill(BlockBuilder& b, Bindings bindings, const Expr& result, FreshCopy copy, int depth) {
    while (!bindings.empty()) {
      const auto most = std::min<int64_t>(kMostTogether, std::ssize(bindings));
      const Part part = first_part(bindings, static_cast<size_t>(random_.between(1, most)), result);
      bindings = bindings.subspan(part.bindings.size());
      emit(b, part, copy, depth);
    }
    return b.emit_output(copy.copy(result));
  }

  void emit(BlockBuilder& b, const Part& part, FreshCopy& copy, int depth) {
    static const std::vector<Form> kForms{Form::Straight,       Form::Straight,      Form::Branch, Form::BranchOfCalls,
                                          Form::ModuleFunction, Form::LocalFunction, Form::Tuple,  Form::Loop};
    switch (depth < kMostDepth ? random_.one_of(kForms) : Form::Straight) {
      case Form::Straight: return emit_straight(b, part, copy);
      case Form::Tuple: return emit_tuple(b, part, copy);
      case Form::Loop: return emit_loop(b, part, copy);
      case Form::Branch: return emit_branch(b, part, copy, [&] { return sequence(part, copy, depth + 1); });
      case Form::BranchOfCalls: {
        const ModuleFunction f = module_function(part, depth + 1);
        return emit_branch(b, part, copy, [&] {
          BlockBuilder side;
          const Expr value = side.emit(call_of(f, copy));
          return side.finish_sequence(value);
        });
      }
      case Form::ModuleFunction:
        return take(b, part, b.emit_output(call_of(module_function(part, depth + 1), copy)), copy);
      case Form::LocalFunction: return emit_local(b, part, copy, depth);
    }
  }

  // Lets later bindings use `value` in place of the variables of a part. If its type differs from that of the
  // variables, the bindings of the part are emitted without structure instead.
  void take(BlockBuilder& b, const Part& part, const Expr& value, FreshCopy& copy) {
    if (!structural_equal(value->type, part.result()->type)) return emit_straight(b, part, copy);
    if (part.results.size() == 1) return copy.map(part.results[0], value);
    for (size_t i = 0; i < part.results.size(); ++i)
      copy.map(part.results[i], b.emit_output(TupleGetItem::make(value, static_cast<int>(i))));
  }

  void emit_straight(BlockBuilder& b, const Part& part, FreshCopy& copy) {
    const bool is_dataflow = random_.chance(70);
    if (is_dataflow) b.begin_dataflow();
    for (const Binding& binding : part.bindings) {
      const bool leaves = std::ranges::find(part.results, binding.var) != part.results.end();
      if (binding.is_match_cast()) {
        const Binding cast = copy.copy(binding);
        const Expr sized = b.match_cast(cast.value, cast.cast_type);
        copy.map(binding.var, leaves ? b.emit_output(sized) : sized);
        continue;
      }
      const Expr value = copy.copy(binding.value);
      copy.map(binding.var, leaves ? b.emit_output(value) : b.emit(value));
    }
    if (is_dataflow) b.end_dataflow();
  }

  // Packs the first and the last result of a part into nested tuples and reads them from the tuples again.
  void emit_tuple(BlockBuilder& b, const Part& part, FreshCopy& copy) {
    emit_straight(b, part, copy);
    if (part.results.empty()) return;
    const Expr inner = b.emit_output(Tuple::make({copy.copy(part.results[0]), Tuple::make({})}));
    const Expr outer = b.emit_output(Tuple::make({copy.copy(part.results.back()), inner}));
    const Expr back = b.emit_output(TupleGetItem::make(outer, 1));
    copy.map(part.results.back(), b.emit_output(TupleGetItem::make(outer, 0)));
    copy.map(part.results[0], b.emit_output(TupleGetItem::make(back, 0)));
  }

  // Passes the results of a part through a loop, which exchanges the first two in each of its two steps if they are of
  // one type.
  void emit_loop(BlockBuilder& b, const Part& part, FreshCopy& copy) {
    emit_straight(b, part, copy);
    std::vector<Ref<Var>> carried;
    for (const Ref<Var>& v : part.results)
      if (const auto* t = find<TensorType>(v->type); t && t->dims()) carried.push_back(v);
    if (carried.empty()) return;
    const auto [loop, type, symbols] = loop_over(carried);
    std::vector<Expr> args = {integer(0)};
    for (const Ref<Var>& v : carried) args.push_back(copy.copy(Expr(v)));
    if (symbols) args.push_back(copy.copy(symbols));
    const Expr value = b.emit_output(typed_call(loop, type, std::move(args)));
    for (size_t i = 0; i < carried.size(); ++i) {
      const Expr field = b.emit_output(TupleGetItem::make(value, static_cast<int>(i)));
      if (structural_equal(field->type, carried[i]->type)) copy.map(carried[i], field);
    }
  }

  struct LoopFunction {
    Ref<GlobalVar> var;
    Type type;
    Expr symbols;  // null when it needs none
  };
  LoopFunction loop_over(const std::vector<Ref<Var>>& carried) {
    FreshCopy inner;
    std::vector<Ref<Var>> params = {Var::make("step", TensorType::make(Dims{}, DType::int_(64)))};
    for (const Ref<Var>& v : carried) params.push_back(parameter_for(v, inner));
    const Expr values = Tuple::make({params.begin() + 1, params.end()});
    LoopFunction out{GlobalVar::make(fmt::format("loop{}", module_.functions().size())), nullptr, nullptr};
    const Ref<SeqExpr> nothing = SeqExpr::make({}, values);
    if (const auto free = free_symbolic_vars(Function::make(params, nothing, nullptr, true)); !free.empty()) {
      out.symbols = ShapeExpr::make({free.begin(), free.end()});
      params.push_back(Var::make("sizes", out.symbols->type));
    }
    std::vector<Expr> next(params.begin(), params.end());
    if (out.symbols) next.back() = out.symbols;
    if (carried.size() > 1 && structural_equal(params[1]->type, params[2]->type)) std::swap(next[1], next[2]);
    BlockBuilder step;
    next[0] = step.emit(op_call("add", {params[0], integer(1)}));
    const Expr again = step.emit(Call::make_typed(out.var, next, {}, {}, values->type));
    BlockBuilder whole;
    const Expr goes_on = whole.emit(op_call("less", {params[0], integer(2)}));
    const Expr result = whole.emit(If::make(goes_on, step.finish_sequence(again), nothing));
    const Ref<Function> made =
        FreshCopy().copy(Function::make(params, whole.finish_sequence(result), values->type, true));
    module_ = module_.with_functions({{out.var, made}});
    out.type = made->type;
    return out;
  }

  static Expr op_call(const char* op, std::vector<Expr> args) {
    return Call::make(builtin_ops().get(op), std::move(args));
  }
  static Expr integer(int64_t value) { return Constant::make(Array::from_ints({}, std::vector{value})); }

  Ref<SeqExpr> sequence(const Part& part, const FreshCopy& copy, int depth) {
    BlockBuilder b;
    const Expr result = fill(b, part.bindings, part.result(), copy, depth);
    return b.finish_sequence(result);
  }

  template <class MakeSide>
  void emit_branch(BlockBuilder& b, const Part& part, FreshCopy& copy, MakeSide make_side) {
    if (conditions_.empty() || random_.chance(50))
      conditions_.push_back(
          Var::make(fmt::format("c{}", conditions_.size()), TensorType::make(Dims{}, DType::bool_())));
    const Ref<SeqExpr> yes = make_side(), no = make_side();
    take(b, part, b.emit_output(If::make(random_.one_of(conditions_), yes, no)), copy);
  }

  struct ModuleFunction {
    Ref<GlobalVar> var;
    Type type;
    std::vector<Ref<Var>> reads;  // the first `in_tuple` of them are passed as one tuple
    size_t in_tuple;
    std::vector<Ref<Var>> conditions;
    Expr symbols;  // null when it needs none
  };

  ModuleFunction module_function(const Part& part, int depth) {
    ModuleFunction f{nullptr, nullptr, reads_of(part), 0, {}, nullptr};
    if (random_.chance(30)) f.in_tuple = random_.below(f.reads.size() + 1);
    FreshCopy inner;
    BlockBuilder b;
    std::vector<Ref<Var>> params;
    if (f.in_tuple) {
      std::vector<Type> fields;
      for (size_t i = 0; i < f.in_tuple; ++i) fields.push_back(f.reads[i]->type);
      params.push_back(Var::make("together", TupleType::make(std::move(fields))));
      for (size_t i = 0; i < f.in_tuple; ++i)
        inner.map(f.reads[i], b.emit_output(TupleGetItem::make(params[0], static_cast<int>(i))));
    }
    for (size_t i = f.in_tuple; i < f.reads.size(); ++i) params.push_back(parameter_for(f.reads[i], inner));
    const Expr result = fill(b, part.bindings, part.result(), inner, depth);
    const Ref<SeqExpr> body = b.finish_sequence(result);
    for (const Ref<Var>& v : free_vars(body))
      if (std::ranges::find(params, v) == params.end()) f.conditions.push_back(v);
    params.insert(params.end(), f.conditions.begin(), f.conditions.end());
    Ref<Function> made = function_of(params, body);
    if (const std::vector<Ref<SymVar>> free = free_symbolic_vars(made); !free.empty()) {
      f.symbols = ShapeExpr::make({free.begin(), free.end()});
      params.push_back(Var::make("sizes", f.symbols->type));
      made = function_of(params, body);
    }
    const std::string name = fmt::format("part{}", module_.functions().size());
    if (random_.chance(20)) made = made->with_attr("global_symbol", name);
    made = FreshCopy().copy(made);
    module_ = module_.with_function(name, made);
    f.var = module_.find_var(name);
    f.type = made->type;
    return f;
  }

  static Ref<Var> parameter_for(const Ref<Var>& v, FreshCopy& inner) {
    Ref<Var> param = Var::make(v->name, inner.copy(v->type));
    inner.map(v, param);
    return param;
  }

  static Expr call_of(const ModuleFunction& f, FreshCopy& copy) {
    std::vector<Expr> args, together;
    for (size_t i = 0; i < f.reads.size(); ++i) (i < f.in_tuple ? together : args).push_back(copy.copy(f.reads[i]));
    if (f.in_tuple) args.insert(args.begin(), Tuple::make(std::move(together)));
    args.insert(args.end(), f.conditions.begin(), f.conditions.end());
    if (f.symbols) args.push_back(f.symbols);
    return typed_call(f.var, f.type, std::move(args));
  }

  // Emits the part as a local function. It takes some of the variables that it reads as parameters and captures the
  // others.
  void emit_local(BlockBuilder& b, const Part& part, FreshCopy& copy, int depth) {
    FreshCopy inner = copy;
    std::vector<Ref<Var>> params;
    std::vector<Expr> args;
    for (const Ref<Var>& v : reads_of(part)) {
      if (random_.chance(50)) continue;
      args.push_back(copy.copy(v));
      params.push_back(parameter_for(v, inner));
    }
    const Ref<SeqExpr> body = sequence(part, inner, depth + 1);
    const Ref<Function> made = function_of(params, body);
    const Expr local = b.emit_output(made, "local");
    take(b, part, b.emit_output(typed_call(local, made->type, std::move(args))), copy);
  }

  Sampler& random_;
  Module module_;
  std::vector<Ref<Var>> conditions_;
};

}  // namespace

Structured structured(const Function& straight, Sampler& random) { return Structurer(random).run(straight); }

}  // namespace sunmao
