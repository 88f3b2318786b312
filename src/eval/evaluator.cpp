#include "eval/evaluator.h"

#include <array>

#include "eval/environment.h"
#include "eval/instructions.h"
#include "eval/kernel_call.h"
#include "eval/last_uses.h"
#include "eval/memory_ops.h"
#include "eval/shaped_call.h"
#include "eval/value_flow.h"
#include "ir/op.h"
#include "ir/walk.h"
#include "ops/lowering.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// State shared by all activations of one run.
struct Walk {
  const Module& module;
  KernelRunner& kernels;
  const FindHostFunction& host_functions;
  const std::function<bool()>& is_cancelled;
  Memory memory = {};
  LastUses last_uses = {};
  std::optional<ValueFlow> flow = {};  // unset: no taint tracking
  AgreedCalls agreed = {};
};

// One activation of a graph-level function.
class Activation {
 public:
  explicit Activation(Walk& walk, int depth = 0, Environment environment = {})
      : walk_(walk), depth_(depth), env_(std::move(environment)) {}

  Value run(const Function& f, ValueTuple args, const std::string& name) {
    if (args.size() != f.params.size())
      fail("E0505", f.span, fmt::format("`{}` takes {} arguments, got {}", name, f.params.size(), args.size()));
    if (depth_ > kMaxCalls) fail("E0506", f.span, fmt::format("calls of `{}` are nested without end", name));
    function_ = name;
    for (size_t i = 0; i < args.size(); ++i) args[i] = as_type(f.params[i]->type, std::move(args[i]));
    define_symbols(f, args);
    for (size_t i = 0; i < args.size(); ++i) {
      env_.check(f.params[i]->type, args[i], f.params[i]->name);
      env_.set(*f.params[i], std::move(args[i]));
    }
    Value result = eval(*f.body, f.params);
    if (f.result_type) check_result(f.result_type, result, fmt::format("return value of {}", name));
    return result;
  }

  Value invoke(const Value& callee, ValueTuple args, const Type& type, const Span& span,
               const std::string& name = "the function") {
    if (std::shared_ptr<const HostFunction> f = callee.host_function())
      return call_host(*f, name, std::move(args), type);
    std::shared_ptr<const Closure> closure = callee.closure();
    if (!closure) fail("E0507", span, fmt::format("the evaluator cannot call {}", describe(callee)));
    Environment env = closure->captured ? *closure->captured : Environment();
    if (closure->self) {
      Closure unbound = *closure;
      unbound.bound.clear();
      env.set(*closure->self, std::make_shared<const Closure>(std::move(unbound)));
    }
    args.insert(args.end(), closure->bound.begin(), closure->bound.end());
    return Activation(walk_, depth_ + 1, std::move(env)).run(*closure->function, std::move(args), closure->name);
  }

  Value eval_call(const Call& c, ValueTuple args) {
    if (walk_.is_cancelled && walk_.is_cancelled()) throw WalkCancelled();
    if (!walk_.flow || is_inside_op_) return run_call(c, std::move(args));
    const Value* callee = callee_of(c, args);
    const CallKind kind = kind_of(c, walk_.module, callee);
    const Seen called = callee ? callee->seen : Seen::Nothing;
    if (kind == CallKind::RunsFunction) return marked(run_call(c, std::move(args)), called);
    const Seen given = std::max({called, walk_.flow->of(args), seen_by_types(c)});
    // `args` is kept, because its taint is read again after the call.
    Value result = run_whole(c, args);
    if (kind == CallKind::Moves) return marked(std::move(result), handles_of(args));
    walk_.flow->note_work(c, given, function_, binding_);
    return marked(std::move(result), given);
  }

 private:
  Value run_call(const Call& c, ValueTuple args) {
    if (const Op* op = op_of(c)) return eval_op(*op, c, args);
    if (const auto* g = find<GlobalVar>(c.callee)) {
      Ref<BaseFunc> func = walk_.module.find(g->name);
      if (const auto* f = find<Function>(Expr(func)))
        return Activation(walk_, depth_ + 1).run(*f, std::move(args), g->name);
      if (const auto* f = find<PrimFunc>(Expr(func))) return run_in_place(*f, args);
    }
    if (const auto* v = find<Var>(c.callee)) return invoke(env_.get(*v), std::move(args), c.type, c.span, v->name);
    if (const auto* f = find<Function>(c.callee))
      return invoke(closure_of(*f, nullptr), std::move(args), c.type, c.span);
    if (const auto* external = find<ExternFunc>(c.callee)) return call_external(external->name, c, std::move(args));
    fail("E0507", c.span, "the evaluator cannot call this");
  }

  // A loop-level function is no value, so a builtin that calls one takes its name from the call.
  Value call_external(const std::string& name, const Call& c, ValueTuple args) {
    const auto* kernel = c.args.empty() ? nullptr : find<GlobalVar>(c.args[0]);
    if (name == "vm.builtin.call_tir_dyn" && kernel)
      if (Ref<PrimFunc> f = walk_.module.find_as<PrimFunc>(kernel->name))
        return run_in_place(*f, ValueTuple(args.begin() + 1, args.end()));
    return call_by_name(name, std::move(args), c.type, c.span);
  }

  // A symbol that several arguments define takes its value and taint from the one with the lowest taint.
  void define_symbols(const Function& f, ValueTuple& args) {
    static constexpr std::array kLimits{Seen::Nothing, Seen::Clean, Seen::Poison};
    if (walk_.flow)
      for (Value& arg : args)
        if (arg.array()) arg.seen = walk_.flow->of(arg);
    for (Seen limit : std::span(kLimits).subspan(walk_.flow ? 0 : 2))
      for (size_t i = 0; i < args.size(); ++i) env_.define(f.params[i]->type, args[i], f.params[i]->name, limit);
  }

  // Returns the called value: that of the variable that is called, or the first argument of an op that calls it; null
  // for other callees.
  const Value* callee_of(const Call& c, const ValueTuple& args) const {
    if (const auto* v = find<Var>(c.callee)) return &env_.get(*v);
    const Op* op = op_of(c);
    return op && op->info.calls_argument ? &args.at(0) : nullptr;
  }

  Seen seen_by_types(const Call& c) const {
    Seen out = env_.seen(c.type);
    for (const Type& t : c.type_args) out = std::max(out, env_.seen(t));
    return out;
  }

  // Returns the maximum taint of the argument values themselves, without their contents.
  static Seen handles_of(const ValueTuple& args) {
    Seen out = Seen::Nothing;
    for (const Value& v : args) out = std::max(out, v.seen);
    return out;
  }

  Value run_whole(const Call& c, const ValueTuple& args) {
    is_inside_op_ = true;
    Value result = run_call(c, args);
    is_inside_op_ = false;
    return result;
  }

  Value run_in_place(const PrimFunc& f, const ValueTuple& args) {
    Value result = run_on_memory(f, args, walk_.memory, walk_.kernels);
    if (walk_.flow) walk_.flow->note_writes(f, args);
    return result;
  }

  // Calls a builtin of the virtual machine or a host function.
  Value call_by_name(const std::string& name, ValueTuple args, const Type& type, const Span& span) {
    if (std::optional<Value> done = call_builtin(name, args, {type, span, walk_.memory})) return *done;
    const std::span<const Value> rest(args.begin() + (args.empty() ? 0 : 1), args.end());
    if (name == "vm.builtin.make_closure" && !args.empty()) return with_last_arguments(args[0], rest, span);
    if (name == kInvokeClosure && !args.empty()) return invoke(args[0], {rest.begin(), rest.end()}, type, span);
    return call_host(*host_function(name, span), name, std::move(args), type);
  }

  std::shared_ptr<const HostFunction> host_function(const std::string& name, const Span& span) const {
    std::shared_ptr<const HostFunction> f = walk_.host_functions ? walk_.host_functions(name) : nullptr;
    if (f) return f;
    fail("E0509", span,
         fmt::format("the function `{}` is not known to {}", name,
                     walk_.host_functions ? "this program" : "the evaluator"),
         walk_.host_functions ? fmt::format("register it first: register_global_func(\"{}\", f)", name)
                              : "express it in ops or in loops, or run the program where the function is registered");
  }

  Value call_host(const HostFunction& f, const std::string& name, ValueTuple args, const Type& type) {
    Value result = as_type(type, f.call(std::move(args), 0));
    check_result(type, result, fmt::format("result of {}", name));
    return result;
  }

  void check_result(const Type& type, const Value& value, const std::string& what, const Span& span = {}) {
    if (!type) return;
    env_.define(type, value, what);
    env_.check(type, value, what, span);
  }

  Value eval(const SeqExpr& seq, std::span<const Ref<Var>> outer = {}) {
    const EndsOfBindings& ends = walk_.last_uses.of(seq, outer);
    const Var* around = binding_;
    size_t i = 0;
    for (const Ref<BindingBlock>& block : seq.blocks) {
      for (const Binding& b : block->bindings) {
        binding_ = b.var.get();
        Value v = bound_value(b, ends[i]);
        if (b.is_match_cast()) {
          check_not_negative(v);
          v = marked(std::move(v), env_.seen(b.cast_type));
          check_result(b.cast_type, v, fmt::format("match_cast {}", b.var->name), b.span);
        }
        env_.set(*b.var, std::move(v));
        let_go(ends[i++]);
      }
    }
    binding_ = around;
    return eval(seq.body);
  }

  void let_go(const std::vector<const Var*>& vars) {
    for (const Var* v : vars) env_.erase(*v);
  }

  // Evaluates the value of a binding. Variables whose last use is a call of a module function or an external function
  // are released before that call, so that this activation holds no reference to their values during the call.
  Value bound_value(const Binding& b, const std::vector<const Var*>& ends) {
    if (const auto* f = find<Function>(b.value)) return closure_of(*f, b.var.get());
    const auto* call = find<Call>(b.value);
    if (!call || !(find<GlobalVar>(call->callee) || find<ExternFunc>(call->callee))) return eval(b.value);
    ValueTuple args = eval(call->args);
    let_go(ends);
    return eval_call(*call, std::move(args));
  }

  ValueTuple eval(const std::vector<Expr>& list) {
    ValueTuple out;
    for (const Expr& e : list) out.push_back(eval(e));
    return out;
  }

  Value eval(const Expr& e) {
    switch (e->kind) {
      case ExprKind::Var: return env_.get(*find<Var>(e));
      case ExprKind::Constant: return as_read_only(find<Constant>(e)->data);
      case ExprKind::ShapeExpr: return shape(*find<ShapeExpr>(e));
      case ExprKind::PrimValue: {
        const Scalar& s = find<PrimValue>(e)->value;
        if (const auto* f = find<FloatImm>(s)) return f->value;
        return marked(env_.number(s), env_.seen({s}));
      }
      case ExprKind::StringLiteral: return find<StringLiteral>(e)->value;
      case ExprKind::DTypeLiteral: return find<DTypeLiteral>(e)->value.str();
      case ExprKind::Tuple: return eval(find<Tuple>(e)->fields);
      case ExprKind::TupleGetItem: return field(*find<TupleGetItem>(e));
      case ExprKind::If: {
        const auto& n = *find<If>(e);
        const Value condition = eval(n.condition);
        Value result = eval(is_true(condition) ? *n.then_branch : *n.else_branch);
        return walk_.flow ? marked(std::move(result), walk_.flow->of(condition)) : result;
      }
      case ExprKind::SeqExpr: return eval(*find<SeqExpr>(e));
      case ExprKind::Function: return closure_of(*find<Function>(e), nullptr);
      case ExprKind::GlobalVar: return global(*find<GlobalVar>(e));
      case ExprKind::ExternFunc: return external(*find<ExternFunc>(e));
      case ExprKind::Call: {
        const auto& c = *find<Call>(e);
        return eval_call(c, eval(c.args));
      }
      default: fail("E0507", e->span, "the evaluator cannot compute this expression");
    }
  }

  Value shape(const ShapeExpr& e) const { return marked(env_.numbers(e.values), env_.seen(e.values)); }

  Value field(const TupleGetItem& e) {
    const Value value = eval(e.tuple);
    const ValueTuple* tuple = value.tuple();
    if (!tuple || e.index < 0 || static_cast<size_t>(e.index) >= tuple->size())
      fail("E0506", e.span, fmt::format("there is no field {} in {}", e.index, describe(value)));
    return marked((*tuple)[static_cast<size_t>(e.index)], value.seen);
  }

  // A loop-level function can only be called by name; as a value it is nothing.
  Value global(const GlobalVar& var) const {
    Ref<Function> f = walk_.module.find_as<Function>(var.name);
    if (!f) return Value();
    return std::make_shared<const Closure>(Closure{.function = f, .name = var.name});
  }

  // Returns the host function of that name as a value, or nothing.
  Value external(const ExternFunc& f) const {
    std::shared_ptr<const HostFunction> known = walk_.host_functions ? walk_.host_functions(f.name) : nullptr;
    return known ? Value(std::move(known)) : Value();
  }

  Value closure_of(const Function& f, const Var* self) const {
    Ref<Function> function(&f);
    auto captured = std::make_shared<const Environment>(env_.captured(free_vars(function)));
    return std::make_shared<const Closure>(Closure{.function = std::move(function),
                                                   .name = self ? self->name : "function",
                                                   .captured = std::move(captured),
                                                   .self = self});
  }

  // Runs ops that call functions, make closures or allocate memory, and vm.kill_object; nullopt for other ops.
  std::optional<Value> eval_program_op(const Op& op, const Call& c, const ValueTuple& args) {
    const std::string& name = op.name();
    if (op.calls_loops()) return run_kernel_call(c, args, walk_.module, env_, walk_.kernels);
    if (name == "vm.call_tir_dyn") return run_in_place(called_kernel(c, walk_.module), tuple_argument(c, args, 1));
    if (name == "make_closure") return with_last_arguments(args[0], tuple_argument(c, args, 1), c.span);
    if (name == "invoke_closure" || name == "invoke_pure_closure")
      return invoke(args[0], tuple_argument(c, args, 1), c.type, c.span);
    if (name == "call_pure_packed" || name == "call_builtin_with_ctx" || name == "call_inplace_packed")
      return call_packed(c, args);
    if (name == "call_dps_packed") return call_on_results(c, args);
    if (name == "call_py_func") {
      const auto* function = c.attrs.find<std::string>("func_name");
      return call_by_name(function ? *function : "?", tuple_argument(c, args, 0), c.type, c.span);
    }
    if (name == "vm.kill_object") {
      if (const auto* v = find<Var>(c.args[0])) env_.set(*v, Value());
      return Value(ValueTuple());
    }
    return eval_memory_op(op, c, args, walk_.memory);
  }

  // Runs ops such as call_pure_packed: the first argument is the callee; its arguments follow in a tuple or
  // individually.
  Value call_packed(const Call& c, const ValueTuple& args) {
    const ValueTuple* tuple = op_of(c)->is_variadic() ? nullptr : args.at(1).tuple();
    ValueTuple given = tuple ? *tuple : ValueTuple(args.begin() + 1, args.end());
    if (const auto* external = find<ExternFunc>(c.args[0]))
      return call_by_name(external->name, std::move(given), c.type, c.span);
    return invoke(args[0], std::move(given), c.type, c.span);
  }

  // Runs call_dps_packed: allocates the results and passes them as the last arguments; the callee fills them.
  Value call_on_results(const Call& c, const ValueTuple& args) {
    const ValueTuple* tuple = args.at(1).tuple();
    ValueTuple given = tuple ? *tuple : ValueTuple{args[1]};
    ValueTuple results;
    for (ArrayBuilder& memory : new_results(c.type, env_)) results.emplace_back(std::move(memory).finish());
    given.insert(given.end(), results.begin(), results.end());
    const auto* external = find<ExternFunc>(c.args[0]);
    std::shared_ptr<const HostFunction> f = external ? host_function(external->name, c.span) : args[0].host_function();
    if (!f) fail("E0507", c.span, fmt::format("the evaluator cannot call {}", describe(args[0])));
    f->call(std::move(given), results.size());
    return find<TupleType>(c.type) ? Value(std::move(results)) : results.at(0);
  }

  Value eval_op(const Op& op, const Call& c, const ValueTuple& args) {
    if (std::optional<Value> done = eval_program_op(op, c, args)) return *done;
    const ShapedCall shaped(c, args, env_, walk_.agreed);
    return eval_computation(op, shaped.call(), args);
  }

  Value eval_computation(const Op& op, const Call& c, const ValueTuple& args) {
    if (Instruction instruction = find_instruction(op)) return instruction(c, args);
    Ref<BaseFunc> lowered = op.info.lower ? kernel_of(c) : nullptr;
    if (const auto* f = find<PrimFunc>(Expr(lowered))) return run_lowered(*f, c, args, env_, walk_.kernels);
    if (op.info.decompose) {
      Expr simpler = op.info.decompose(c);
      for (size_t i = 0; i < c.args.size(); ++i)
        if (simpler == c.args[i]) return args[i];
      if (simpler.get() != &c) return eval(simpler);
    }
    fail("E0507", c.span, fmt::format("the evaluator cannot run `{}` here", op.name()));
  }

  Walk& walk_;
  const int depth_;
  Environment env_;
  std::string_view function_;
  const Var* binding_ = nullptr;  // the variable whose value is being computed
  bool is_inside_op_ = false;     // true while an op runs; calls inside it are not tracked
};

Walk new_walk(const Module& module, const EvaluatorOptions& options, InterpretingRunner& interpreting) {
  return {module, interpreting, options.host_functions, options.is_cancelled};
}

void follow(Walk& walk, PoisonWatch* watch, ValueTuple& args) {
  if (watch) walk.flow.emplace(*watch, walk.memory).begin(args);
}

}  // namespace

Value Evaluator::call(const std::string& function, ValueTuple args) const {
  Ref<Function> f = module_.find_as<Function>(function);
  if (!f) fail("E0505", {}, fmt::format("the module has no graph-level function `{}`", function));
  InterpretingRunner interpreting(options_.is_cancelled);
  Walk walk = new_walk(module_, options_, interpreting);
  follow(walk, options_.poison, args);
  return Activation(walk).run(*f, std::move(args), function);
}

Value Evaluator::invoke(const Value& function, ValueTuple args) const {
  InterpretingRunner interpreting(options_.is_cancelled);
  Walk walk = new_walk(module_, options_, interpreting);
  follow(walk, options_.poison, args);
  return Activation(walk).invoke(function, std::move(args), nullptr, {});
}

Value evaluate_call(const Module& module, const Call& call, const std::vector<Value>& args) {
  const FindHostFunction none;
  const std::function<bool()> never;
  InterpretingRunner interpreting;
  Walk walk{module, interpreting, none, never};
  return Activation(walk).eval_call(call, args);
}

}  // namespace sunmao
