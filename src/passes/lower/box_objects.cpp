// The pass `box-objects`: values that only the program which runs a model understands become handles, tensors of rank 0
// and dtype `handle`, and what is done with them becomes calls of functions of the host. Bytecode moves handles, and
// knows nothing of what they stand for.
#include <fmt/format.h>

#include <algorithm>

#include "eval/host_function.h"
#include "ir/type_relation.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/open_sizes.h"
#include "passes/analysis/variables.h"
#include "passes/lower/held_types.h"
#include "passes/lower/host_calls.h"
#include "passes/lower/in_function.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

Expr text_of(const std::string& text) { return StringLiteral::make(text); }
Expr integer(int64_t value) { return PrimValue::make(IntImm::make(DType::int_(64), value)); }

bool is_text_or_float(const Expr& e) {
  if (find<StringLiteral>(e) || find<DTypeLiteral>(e)) return true;
  const auto* number = find<PrimValue>(e);
  return number && find<FloatImm>(number->value);
}

class Boxer final : public Rewriter {
 public:
  /// The names of functions that are used as values are appended to `values`.
  Boxer(const Module& module, std::vector<std::string>& values) : module_(module), values_(values) {}

  Ref<Function> run(const std::string& name, const Ref<Function>& f) {
    uses_ = count_uses(Expr(f));
    std::vector<Ref<Var>> params;
    for (const Ref<Var>& p : f->params) {
      params.push_back(holds_handle(held_type(p->type)) ? p->with_type(held_type(p->type)) : p);
      if (params.back() != p) replace(p, params.back());
    }
    const bool is_entry = f->attrs.has("global_symbol");
    const Type result = f->result_type ? f->result_type : f->body->type;
    const Ref<SeqExpr> body = with_result(with_checks(*f, is_entry), result, fmt::format("return_of_{}", name));
    const Ref<SeqExpr> boxed = visit_seq(body);
    if (boxed == f->body) return f;
    return Function::make(std::move(params), with_merged_blocks(boxed), held_type(result), f->is_pure, f->attrs,
                          f->span);
  }

 private:
  using Rewriter::visit;

  // Returns the body behind casts that check the parameters which become handles, and define their symbols.
  static Ref<SeqExpr> with_checks(const Function& f, bool is_entry) {
    std::vector<Binding> casts;
    for (const Ref<Var>& p : f.params)
      if (is_entry && !find<AnyType>(p->type) && held_type(p->type) != p->type && is_handle(held_type(p->type)))
        casts.push_back({Var::make(p->name, p->type, p->span), p, p->type, p->span});
    if (casts.empty()) return f.body;
    std::vector<Ref<BindingBlock>> blocks = f.body->blocks;
    blocks.insert(blocks.begin(), BindingBlock::make(std::move(casts)));
    return SeqExpr::make(std::move(blocks), f.body->body, f.body->span);
  }

  // Returns the sequence with its result bound to a variable that is held as `type` says, where that makes a
  // difference.
  Ref<SeqExpr> with_result(const Ref<SeqExpr>& seq, const Type& type, const std::string& what) {
    if (!type || !seq->type || (held_type(type) == type && held_type(seq->type) == seq->type)) return seq;
    const Ref<Var> result = Var::make(what, seq->type, seq->span);
    results_.emplace(result, type);
    std::vector<Ref<BindingBlock>> blocks = seq->blocks;
    blocks.push_back(BindingBlock::make({{result, seq->body, nullptr, seq->span}}));
    return SeqExpr::make(std::move(blocks), result, seq->span);
  }

  void visit(const Binding& b) override {
    Expr value = in_operand(visit(b.value));
    if (const auto result = results_.find(b.var); result != results_.end()) {
      value = as(value, {result->second, b.value->type, b.var->name});
    } else if (b.is_match_cast()) {
      if (!holds_handle(value->type) && !holds_handle(held_type(b.cast_type))) return bind(b, value);
      const bool is_param = b.value->type == b.cast_type;
      value =
          as(value, {b.cast_type, is_param ? nullptr : b.value->type,
                     fmt::format("{}_{}", is_param ? "param" : "match_cast", b.var->name), is_used_up(b.value, value)});
    } else if (is_used_object(b)) {
      value = with_type(*find<Call>(value), handle_type());
    }
    bind_value(b, value);
  }

  void bind_value(const Binding& b, const Expr& value) {
    const Binding plain{value->type && holds_handle(value->type) ? b.var->with_type(value->type) : b.var, b.value,
                        nullptr, b.span};
    if (plain.var != b.var) replace(b.var, plain.var);
    bind(plain, value);
    if (plain.var != b.var) replace(b.var, visit(Expr(plain.var)));
  }

  // True for the call of a host's function of which nothing is known but that its result is used.
  bool is_used_object(const Binding& b) const {
    const auto* call = find<Call>(b.value);
    return call && is_host_call(*call) && find<AnyType>(call->type) && uses_.contains(b.var);
  }

  // True for an object that a function of the host has given, and that nothing but this use reads.
  bool is_used_up(const Expr& before, const Expr& value) const {
    const auto uses = uses_.find(find_ref<Var>(before));
    const Expr made = value_of(value);
    const auto* call = made ? find<Call>(made) : nullptr;
    return uses != uses_.end() && uses->second == 1 && call && is_host_call(*call);
  }

  static bool is_host_call(const Call& call) {
    if (find<ExternFunc>(call.callee)) return true;
    const Op* op = op_of(call);
    return op && (op->name() == "call_pure_packed" || op->name() == "call_inplace_packed") &&
           find<ExternFunc>(call.args.at(0));
  }

  static Expr with_type(const Call& call, const Type& type) {
    return Call::make(call.callee, call.args, call.attrs, {type}, call.span);
  }

  // A text, a number that is no size, or a function as an operand is a handle.
  Expr in_operand(const Expr& e) {
    if (is_text_or_float(e) || find<ExternFunc>(e) || names_function(e)) return boxed(e);
    return e;
  }
  bool names_function(const Expr& e) const {
    const auto* var = find<GlobalVar>(e);
    return var && module_.find_as<Function>(var->name);
  }

  Expr visit(const Tuple& tuple) override {
    std::vector<Expr> fields;
    for (const Expr& f : tuple.fields) fields.push_back(in_operand(visit(f)));
    return fields == tuple.fields ? Expr(&tuple) : Tuple::make(std::move(fields), tuple.span);
  }

  Expr visit(const TupleGetItem& item) override {
    const Expr visited = Rewriter::visit(item);
    const auto* read = find<TupleGetItem>(visited);
    if (!read || !is_handle(read->tuple->type)) return visited;
    return host_call("vm.builtin.tuple_getitem", {read->tuple, integer(item.index)}, handle_type());
  }

  Expr visit(const If& branch) override {
    Expr condition = visit(branch.condition);
    const auto* tensor = find<TensorType>(condition->type);
    if (!tensor || tensor->rank != 0 || !tensor->dtype.is_bool())
      condition = emit(host_call("vm.builtin.read_if_cond", {condition}, TensorType::make({}, DType::bool_())), "cond");
    const Ref<SeqExpr> then_branch = visit_seq(with_result(branch.then_branch, branch.type, "out"));
    const Ref<SeqExpr> else_branch = visit_seq(with_result(branch.else_branch, branch.type, "out"));
    if (condition == branch.condition && then_branch == branch.then_branch && else_branch == branch.else_branch)
      return Expr(&branch);
    return If::make(condition, then_branch, else_branch, branch.span);
  }

  Expr visit(const Call& call) override {
    if (const Op* op = op_of(call)) return visit_op(*op, call);
    if (is_reset_of_parts(call)) return Tuple::make({});
    if (find<ExternFunc>(call.callee)) return same_call(call, call.callee, host_arguments(call.args));
    const auto* callee = find<GlobalVar>(call.callee);
    if (callee && names_function(call.callee)) return call_of_function(*callee, call);
    if (find<Var>(call.callee)) {
      const auto* signature = find<CallableType>(call.callee->type);
      return invoke(call, call.callee, call.args, signature && signature->is_pure);
    }
    return Rewriter::visit(call);
  }

  // True for a call that empties a field of a tuple, of which nothing but its fields is left here.
  static bool is_reset_of_parts(const Call& call) {
    const auto* f = find<ExternFunc>(call.callee);
    return f && f->name == kResetItem && !call.args.empty() && find<TupleType>(call.args[0]->type);
  }

  Expr visit_op(const Op& op, const Call& call) {
    const std::string& name = op.name();
    if (name == "call_pure_packed" || name == "call_dps_packed") {
      if (!find<ExternFunc>(call.args[0])) return invoke(call, call.args[0], fields_of(call.args[1]), op.info.is_pure);
      return same_call(call, call.callee, {call.args[0], Tuple::make(host_arguments(fields_of(call.args[1])))});
    }
    if (name == "call_inplace_packed") {
      std::vector<Expr> args = host_arguments({call.args.begin() + 1, call.args.end()});
      args.insert(args.begin(), call.args[0]);
      return same_call(call, call.callee, std::move(args));
    }
    if (name == "make_closure") return closure(call);
    if (name == "invoke_closure" || name == "invoke_pure_closure")
      return invoke(call, call.args[0], fields_of(call.args[1]), op.info.is_pure);
    if (name == "null_value") return host_call("sunmao.nothing", {}, handle_type());
    if (name == "print" || name == "assert_op") return said(name, call);
    if (name == "call_py_func")
      return host_call(*call.attrs.find<std::string>("func_name"), host_arguments(fields_of(call.args[0])),
                       held_type(call.type));
    return std::ranges::any_of(call.args, [this](const Expr& a) { return is_handle(visit(a)->type); })
               ? asked(name, call)
               : Rewriter::visit(call);
  }

  // An op that tells something of a value is a builtin of the host where the value is a handle.
  Expr asked(const std::string& name, const Call& call) {
    const bool is_known = name == "shape_of" || name == "tensor_to_shape" || name == "shape_to_tensor" ||
                          name.starts_with("inspect.tensor_");
    if (!is_known)
      fail("E1020", call.span,
           fmt::format("the virtual machine does not run the op `{}` on tensors of unknown rank or dtype", name),
           "state them by a match_cast");
    return host_call("sunmao." + name, host_arguments(call.args), held_type(call.type));
  }

  // The same call with arguments that are held in their ways.
  static Expr same_call(const Call& call, const Expr& callee, std::vector<Expr> args) {
    const Type type = held_type(call.type);
    const auto* before = call.args.size() > 1 ? find<Tuple>(call.args[1]) : nullptr;
    const auto* after = args.size() > 1 ? find<Tuple>(args[1]) : nullptr;
    if (!find<AnyType>(call.type) && holds_handle(type)) return Call::make(callee, args, call.attrs, {type}, call.span);
    if (args == call.args || (before && after && op_of(call) && before->fields == after->fields)) return Expr(&call);
    return Call::make(callee, std::move(args), call.attrs, call.type_args, call.span);
  }

  Expr said(const std::string& name, const Call& call) {
    const auto* format = call.attrs.find<std::string>("format");
    std::vector<Expr> args = host_arguments(call.args);
    args.insert(args.begin(), text_of(format ? *format : ""));
    return host_call("sunmao." + name, std::move(args), TupleType::make({}), CallEffect::Some);
  }

  Expr closure(const Call& call) {
    std::vector<Expr> args = host_arguments(fields_of(call.args[1]));
    const auto* f = find<GlobalVar>(call.args[0]);
    args.insert(args.begin(), f ? named(f->name) : in_operand(visit(call.args[0])));
    return host_call("vm.builtin.make_closure", std::move(args), handle_type());
  }
  Expr named(const std::string& function) {
    values_.push_back(function);
    return text_of(function);
  }

  Expr invoke(const Call& call, const Expr& callee, const std::vector<Expr>& given, bool is_pure) {
    std::vector<Expr> args = host_arguments(given);
    args.insert(args.begin(), in_operand(visit(callee)));
    const Type type = find<AnyType>(call.type) ? handle_type() : held_type(call.type);
    return host_call("vm.builtin.invoke_closure", std::move(args), type, is_pure ? CallEffect::None : CallEffect::Some);
  }

  Expr call_of_function(const GlobalVar& callee, const Call& call) {
    const Ref<Function> f = module_.find_as<Function>(callee.name);
    std::vector<Expr> args;
    bool is_same = true;
    for (size_t i = 0; i < call.args.size(); ++i) {
      const Expr given = in_operand(visit(call.args[i]));
      const Type type = i < f->params.size() ? f->params[i]->type : nullptr;
      args.push_back(type ? as(given, {opened(type), call.args[i]->type, f->params[i]->name}) : given);
      if (args.back()->type && !is_leaf(args.back())) args.back() = emit(args.back(), f->params[i]->name);
      is_same = is_same && args.back() == call.args[i];
    }
    const Type result = held_type(f->result_type ? f->result_type : f->body->type);
    if (is_same && !holds_handle(result)) return Expr(&call);
    const Type type = result_of(*f, result, args, call);
    return Call::make_typed(call.callee, std::move(args), call.attrs, call.type_args, type, call.span);
  }

  static Type result_of(const Function& f, const Type& result, const std::vector<Expr>& args, const Call& call) {
    std::vector<Type> params;
    for (const Ref<Var>& p : f.params) params.push_back(held_type(p->type));
    const Type signature = CallableType::make(std::move(params), result, f.is_pure);
    return infer_call(*find<CallableType>(signature), args, call.span, find<GlobalVar>(call.callee)->name);
  }

  // Returns the fields of a tuple, one by one.
  std::vector<Expr> fields_of(const Expr& tuple) {
    if (const auto* known = find<Tuple>(tuple)) return known->fields;
    const auto* type = find<TupleType>(tuple->type);
    if (!type) return {tuple};
    std::vector<Expr> out;
    for (size_t i = 0; i < type->fields.size(); ++i)
      out.push_back(emit(TupleGetItem::make(visit(tuple), static_cast<int>(i)), "field"));
    return out;
  }

  // Arguments of a host's function: literals stay what they are.
  std::vector<Expr> host_arguments(const std::vector<Expr>& args) {
    std::vector<Expr> out;
    for (const Expr& arg : args) {
      if (const auto* tuple = find<Tuple>(arg))
        out.push_back(Tuple::make(host_arguments(tuple->fields), tuple->span));
      else
        out.push_back(is_text_or_float(arg) ? arg : in_operand(visit(arg)));
      if (const auto* tuple = find<Tuple>(arg); tuple && find<Tuple>(out.back())->fields == tuple->fields)
        out.back() = arg;
    }
    return out;
  }

  Expr boxed(const Expr& value) {
    if (const auto* f = find<GlobalVar>(value))
      return emit(host_call("vm.builtin.make_closure", {named(f->name)}, handle_type()), f->name);
    if (const auto* f = find<ExternFunc>(value))
      return emit(host_call("sunmao.function", {text_of(f->name)}, handle_type()), "function");
    const auto* var = find<Var>(value);
    return emit(host_call("sunmao.box", {value}, handle_type()), var ? var->name : "object");
  }

  // How a value is to be held; `was` is its type before, null where it must be checked, and `what` names it in errors.
  struct Wanted {
    Type type;
    Type was;
    std::string what;
    bool is_last = false;  // nothing reads the value after
  };

  Expr as(const Expr& value, const Wanted& wanted) {
    if (is_handle(value->type)) return from_handle(value, wanted);
    if (!holds_handle(held_type(wanted.type)) && !holds_handle(value->type)) return value;
    const auto* tuple = find<TupleType>(wanted.type);
    if (!tuple) return is_handle(held_type(wanted.type)) ? boxed(value) : value;
    const auto* was = wanted.was ? find<TupleType>(wanted.was) : nullptr;
    std::vector<Expr> fields;
    bool is_same = true;
    for (size_t i = 0; i < tuple->fields.size(); ++i) {
      const Expr given = field(value, i);
      const Type before = was && i < was->fields.size() ? was->fields[i] : nullptr;
      fields.push_back(as(given, {tuple->fields[i], before, wanted.what}));
      is_same = is_same && fields.back() == given;
    }
    return is_same ? value : Tuple::make(std::move(fields), value->span);
  }

  Expr field(const Expr& tuple, size_t i) {
    const Expr known = find<Var>(tuple) ? value_of(tuple) : tuple;
    if (const auto* t = known ? find<Tuple>(known) : nullptr) return t->fields.at(i);
    return emit(TupleGetItem::make(tuple, static_cast<int>(i)), "field");
  }

  Expr from_handle(const Expr& value, const Wanted& wanted) {
    Analyzer analyzer;
    const bool is_known = wanted.was && fits(wanted.type, wanted.was, analyzer) == Fit::Yes;
    if (is_known && is_handle(held_type(wanted.type))) return value;
    if (const Expr check = find_check(value, wanted.type, wanted.what)) emit(check, "_");
    if (is_handle(held_type(wanted.type))) return with_known_sizes(value, wanted);
    const Type type = opened(held_type(wanted.type));
    const Expr given = emit(host_call(wanted.is_last ? "sunmao.take" : "sunmao.unbox", {value}, type), wanted.what);
    if (!leaves_sizes_open(type)) return given;
    return cast(
        given,
        leaves_sizes_open(wanted.type) ? with_sizes(type, [this] { return fresh_size(); }) : held_type(wanted.type),
        wanted.what);
  }

  Scalar fresh_size() { return SymVar::make(fmt::format("size_{}", sizes_++), DType::int_(64)); }

  Expr cast(const Expr& value, const Type& type, const std::string& name) {
    const Ref<Var> var = in_dataflow() ? Var::make_dataflow(name, type) : Var::make(name, type);
    bind({var, value, type, {}}, value);
    return var;
  }

  // The sizes of a tensor whose dtype is not known, or of a shape that is a handle.
  Expr with_known_sizes(const Expr& value, const Wanted& wanted) {
    const auto* tensor = find<TensorType>(wanted.type);
    if (!tensor || !tensor->dims()) return value;
    const Expr shape = emit(host_call("sunmao.shape_of", {value}, ShapeType::make_unknown(tensor->rank)), wanted.what);
    cast(shape, ShapeType::make(*tensor->dims()), wanted.what);
    return value;
  }

  const Module& module_;
  std::vector<std::string>& values_;
  std::unordered_map<Ref<Var>, int> uses_;
  std::unordered_map<Ref<Var>, Type> results_;  // by variables that hold them
  int sizes_ = 0;
};

}  // namespace

Module box_objects(const Module& m, const PassContext&) {
  std::vector<std::string> values;
  std::vector<FunctionEntry> entries;
  for (const FunctionEntry& e : m.functions()) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f || !f->type) continue;
    const Ref<Function> boxed = in_function(m, f, [&] { return Boxer(m, values).run(e.var->name, f); });
    if (boxed != f) entries.push_back({e.var, boxed});
  }
  Module out = entries.empty() ? m : m.with_functions(std::move(entries));
  // What is called by its name while a program runs is a function that callers see.
  for (const std::string& name : values)
    if (const Ref<Function> f = out.find_as<Function>(name); f && !f->attrs.has("global_symbol"))
      out = std::move(out).with_function(name, f->with_attr("global_symbol", name));
  return out;
}

}  // namespace sunmao
