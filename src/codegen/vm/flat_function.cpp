#include "codegen/vm/flat_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <span>

#include "codegen/vm/host_form.h"
#include "codegen/vm/joins.h"
#include "codegen/vm/only_call.h"
#include "codegen/vm/parts.h"
#include "codegen/vm/places.h"
#include "codegen/vm/size_relations.h"
#include "codegen/vm/size_values.h"
#include "codegen/vm/unknown_sizes.h"
#include "ir/condition.h"
#include "ir/op.h"
#include "ops/params.h"
#include "passes/analysis/state_params.h"
#include "sym/equal.h"

namespace sunmao {
namespace {

// The value of a variable: a tensor, a tuple of values, or nothing where its type holds sizes. Of a shape that data
// decides, the tensor holds the sizes.
struct FlatValue {
  std::optional<FlatTensor> tensor;
  std::vector<FlatValue> fields;
};

class Flattener {
 public:
  Flattener(FlatFunction& out, const Module& module, bool is_inner)
      : out_(out), module_(module), is_inner_(is_inner), relations_(out) {}

  void run(const Function& f) {
    if (!is_inner_) states_ = kept_state_params(f, out_.name);
    for (const Ref<Var>& p : f.params) {
      values_[p] = param(p->name, p->type, p->span);
      relations_.know(p->type);
    }
    for (const Ref<BindingBlock>& block : f.body->blocks)
      for (const Binding& b : block->bindings) values_[b.var] = bind(b);
    result(value(f.body->body), find<Var>(f.body->body) ? find<Var>(f.body->body)->name : "output", f.body->body->type);
    if (f.result_type) relations_.add_result(f.result_type, f.body->body->type, out_.name);
    join_in_place(out_);
    find_places(out_, is_inner_);
    pass_arguments();
    out_.delivers = is_inner_ || !states_.empty() || leaves_sizes_to_others(out_);
    if (out_.delivers)
      leave_results();
    else
      claim_results(out_);
    check_unknown_sizes(out_);
  }

 private:
  FlatTensor add_root(RootKind kind, int index, const Type& type) {
    const auto* t = find<TensorType>(type);
    out_.roots.push_back({.kind = kind, .index = index, .type = t, .owner = type});
    return {static_cast<int>(out_.roots.size()) - 1, type};
  }

  FlatValue param(const std::string& name, const Type& type, const Span& span) {
    if (const auto* t = find<TupleType>(type)) {
      FlatValue v;
      for (size_t i = 0; i < t->fields.size(); ++i)
        v.fields.push_back(param(fmt::format("{}.{}", name, i), t->fields[i], span));
      return v;
    }
    if (!find<TensorType>(type) && sizes_of(type)) {
      out_.params.push_back({name, type});
      return {};
    }
    const Type held = is_number_alone(type) ? type_of_sizes(type) : type;
    const auto* t = find<TensorType>(held);
    if (!t || !t->dims() || t->dtype.is_void())
      unsupported(
          span, fmt::format("a parameter like `{}`: {}; it takes tensors of known rank and dtype, shapes and integers, "
                            "and tuples of them",
                            name, describe(type)));
    const auto state = std::ranges::find(states_, name, [](const StateParam& s) { return s.param->name; });
    out_.params.push_back({name, held, state == states_.end() ? std::string() : state->state});
    return {add_root(RootKind::Param, static_cast<int>(out_.params.size()) - 1, held), {}};
  }

  FlatValue value(const Expr& e) {
    if (Ref<Var> v = find_ref<Var>(e)) return values_.at(v);
    if (const auto* c = find<Constant>(e)) {
      out_.constants.push_back(c->data);
      return {add_root(RootKind::Constant, static_cast<int>(out_.constants.size()) - 1, c->type), {}};
    }
    if (const auto* t = find<Tuple>(e)) {
      FlatValue v;
      for (const Expr& f : t->fields) v.fields.push_back(value(f));
      return v;
    }
    if (const auto* i = find<TupleGetItem>(e)) {
      const auto index = static_cast<size_t>(i->index);
      if (const Ref<Var> tuple = find_ref<Var>(i->tuple)) return values_.at(tuple).fields.at(index);
      return value(i->tuple).fields.at(index);
    }
    if (const Call* view = find_call(e, "memory.view")) {
      const auto* offset = view->args.size() > 3 ? find<PrimType>(view->args[3]->type) : nullptr;
      if (offset && !offset->value) unsupported(e->span, "a view that begins where data decides");
      FlatTensor seen = *value(view->args[0]).tensor;
      if (offset) return {part(seen, offset->value, view->type), {}};
      seen.type = view->type;
      return {seen, {}};
    }
    if (const Call* read = find_call(e, "tensor_to_shape")) return value(read->args[0]);
    if (const Call* hint = find_call(e, "hint_on_device")) return value(hint->args[0]);
    if (const Call* same = find_call(e, "memory.ensure_zero_offset")) return value(same->args[0]);
    if (const Call* copy = find_call(e, "to_vdevice")) {
      const std::string kind = find<TensorType>(e->type)->vdevice->target_kind();
      if (kind != "llvm" && kind != "c") unsupported(e->span, fmt::format("data on a device of kind `{}`", kind));
      return value(copy->args[0]);
    }
    if (auto call = find_kernel_call(e, module_)) return kernel(std::move(*call), e);
    if (auto call = find_update_call(e, module_)) return kernel(std::move(*call), e);
    const auto* call = find<Call>(e);
    if (const auto* callee = call ? find<GlobalVar>(call->callee) : nullptr;
        callee && module_.find_as<Function>(callee->name))
      return invoke({.kernel = {}, .callees = {this->callee(*call)}, .span = e->span}, e->type);
    if (const std::optional<HostCall> host = call ? find_host_call(*call) : std::nullopt)
      return host_call(*host, e->type, e->span);
    if (const auto* choice = find<If>(e)) return branch(*choice);
    if (find<ShapeExpr>(e) || find<PrimValue>(e)) return {};
    const Op* op = call ? op_of(*call) : nullptr;
    if (op && is_release(*op)) return {};
    if (op && is_offset(*op)) {
      // Of a caller's tensor, it is where the caller's data begins.
      if (value(call->args[0]).tensor->begin) unsupported(e->span, "where a view begins in memory of a caller");
      return {sizes_in_memory(PrimType::of_value(int_imm(0))), {}};
    }
    if (op) unsupported(e->span, fmt::format("the op `{}`", op->name()));
    unsupported(e->span, call ? "calls of values and of functions that are not in the module" : "this expression");
  }

  // Returns what lies `begin` bytes inside of a tensor; a copy where elements would not be aligned.
  FlatTensor part(const FlatTensor& t, const Scalar& begin, const Type& type) {
    const FlatTensor seen = part_of(t, begin, type);
    if (seen.begin && !is_known(seen.tensor())) unsupported(type->span, "a view of unknown shape or dtype");
    if (is_aligned(seen)) return seen;
    return copied(bytes_of(seen), type);
  }

  // Results of unknown sizes go to the step behind their call, so that what does not read them is copied before it.
  FlatTensor copied(const FlatTensor& from, const Type& type) {
    const FlatTensor to = add_root(RootKind::Intermediate, 0, type);
    auto place = out_.steps.end();
    if (place != out_.steps.begin()) {
      const std::vector<FlatTensor>& made = std::prev(place)->outputs;
      const bool is_handed_on = std::ranges::any_of(made, [](const FlatTensor& t) { return !is_known(t.tensor()); });
      if (is_handed_on && std::ranges::find(made, from.root, &FlatTensor::root) == made.end()) --place;
    }
    out_.steps.insert(place, {.kernel = {}, .inputs = {from}, .outputs = {to}, .span = type->span});
    return to;
  }

  bool is_whole(const FlatTensor& t) const {
    return !t.begin && relations_.is_whole(out_.roots[static_cast<size_t>(t.root)], t.tensor());
  }

  // Returns a tensor that other functions may get: all of a root.
  FlatTensor whole(const FlatTensor& t) { return is_whole(t) ? t : copied(t, t.type); }

  FlatValue branch(const If& choice) {
    const auto* condition = find<TensorType>(choice.condition->type);
    if (!condition || !is_one_bool(*condition))
      unsupported(choice.span, fmt::format("a condition like `{}`", describe(choice.condition->type)));
    FlatStep step{.kernel = {}, .condition = value(choice.condition).tensor, .span = choice.span};
    for (const Ref<SeqExpr>& way : {choice.then_branch, choice.else_branch}) {
      const Call* call = only_call(*way, module_);
      if (!call) unsupported(way->span, "a branch that is no call; outline-branches makes it one");
      step.callees.push_back(callee(*call));
    }
    return invoke(std::move(step), choice.type);
  }

  FlatValue host_call(const HostCall& call, const Type& result, const Span& span) {
    const std::optional<std::string> form = host_form(call, result);
    if (!form) unsupported(span, fmt::format("this call of the host's function `{}`", call.name));
    FlatCallee callee{*form, {}};
    FlatHost host{.params = {}, .results = {}, .is_op = call.makes_results};
    for (size_t i = 0; i < call.args.size(); ++i) {
      const size_t first = callee.args.size();
      host_argument(call.args[i], callee, host);
      if (call.may_change(i)) give_copies(std::span(callee.args).subspan(first), span);
    }
    const std::vector<Type> results = find<AnyType>(result) ? std::vector<Type>() : leaves_of(result);
    for (const Type& made : call.makes_results ? results : std::vector<Type>()) {
      const std::optional<std::vector<Scalar>> sizes = sizes_of(made);
      if (!sizes) unsupported(span, fmt::format("a call with a result like `{}`", describe(made)));
      callee.args.push_back({{}, *sizes});
      host.params.push_back(ShapeType::make(*sizes));
    }
    for (const Type& type : results) host.results.push_back(type_of_sizes(type) ? type_of_sizes(type) : type);
    out_.hosts.insert_or_assign(*form, std::move(host));
    FlatStep step{.kernel = {}, .callees = {std::move(callee)}, .is_host = true, .span = span};
    return invoke(std::move(step), find<AnyType>(result) ? TupleType::make({}) : result);
  }

  // Tensors that a function of the host may change are its own; objects are the host's.
  void give_copies(std::span<FlatArgument> args, const Span& span) {
    for (FlatArgument& a : args) {
      if (!a.tensor || a.holds_sizes || a.tensor->tensor().dtype == DType::handle()) continue;
      if (a.unknown > 0) unsupported(span, "a call that changes a tensor whose sizes nobody knows before");
      a.tensor = copied(*a.tensor, a.tensor->type);
    }
  }

  void host_argument(const Expr& e, FlatCallee& callee, FlatHost& host) {
    if (is_literal(e)) return;
    if (const auto* tuple = find<Tuple>(e)) {
      for (const Expr& field : tuple->fields) host_argument(field, callee, host);
      return;
    }
    argument(e, e->type, callee.args);
    for (const Type& leaf : leaves_of(e->type))
      host.params.push_back(is_number_alone(leaf) ? type_of_sizes(leaf) : leaf);
  }

  FlatCallee callee(const Call& call) {
    FlatCallee out{find<GlobalVar>(call.callee)->name, {}};
    const Ref<Function> f = module_.find_as<Function>(out.function);
    for (size_t i = 0; i < call.args.size(); ++i) argument(call.args[i], f->params[i]->type, out.args);
    return out;
  }

  void argument(const Expr& e, const Type& expected, std::vector<FlatArgument>& out) {
    argument(value(e), {e->type, expected, e->span}, out);
  }

  struct Passed {
    const Type& given;
    const Type& expected;
    const Span& span;
  };
  void argument(const FlatValue& v, const Passed& as, std::vector<FlatArgument>& out) {
    if (const auto* tuple = find<TupleType>(as.expected)) {
      const auto* given = find<TupleType>(as.given);
      for (size_t i = 0; i < v.fields.size(); ++i)
        argument(v.fields[i], {given->fields[i], tuple->fields[i], as.span}, out);
      return;
    }
    if (find<TensorType>(as.expected)) return tensor_argument(v, as, out);
    if (is_number_alone(as.expected)) {
      const std::optional<FlatTensor> number = v.tensor ? whole(*v.tensor) : sizes_in_memory(as.given);
      if (number) return out.push_back({number, {}});
    }
    if (const std::optional<std::vector<Scalar>> sizes = sizes_of(as.given)) {
      out.push_back({{}, *sizes});
      return;
    }
    const std::optional<std::vector<Scalar>> wanted = sizes_of(as.expected);
    if (!v.tensor || !wanted) unsupported(as.span, fmt::format("an argument like `{}`", describe(as.given)));
    out.push_back({whole(*v.tensor), {}, static_cast<int>(wanted->size()), true});
  }

  void tensor_argument(const FlatValue& v, const Passed& as, std::vector<FlatArgument>& out) {
    const Span& span = as.span;
    if (!v.tensor) unsupported(span, fmt::format("an argument like `{}`", describe(as.expected)));
    const TensorType& type = v.tensor->tensor();
    const Root& root = out_.roots[static_cast<size_t>(v.tensor->root)];
    if (root.kind == RootKind::Delivered && !is_known(type)) {
      out.push_back({v.tensor, {}, type.rank});
      return;
    }
    if (!is_known(type)) unsupported(span, "an argument of unknown shape or dtype");
    const FlatTensor passed = whole(*v.tensor);
    out.push_back({passed, *passed.tensor().dims()});
  }

  FlatValue invoke(FlatStep step, const Type& type) {
    FlatValue v = delivered(type, step);
    out_.steps.push_back(std::move(step));
    return v;
  }

  FlatValue delivered(const Type& type, FlatStep& step) {
    FlatValue v;
    if (const auto* tuple = find<TupleType>(type)) {
      for (const Type& field : tuple->fields) v.fields.push_back(delivered(field, step));
      return v;
    }
    const Type held = type_of_sizes(type) ? type_of_sizes(type) : type;
    const auto* t = find<TensorType>(held);
    if (!t || t->rank == kUnknownRank || t->dtype.is_void())
      unsupported(step.span, fmt::format("a call with a result like `{}`", describe(type)));
    v.tensor = add_root(RootKind::Delivered, 0, held);
    step.outputs.push_back(*v.tensor);
    const std::optional<std::vector<Scalar>> sizes = held == type ? std::nullopt : sizes_of(type);
    if (sizes) step.stated.emplace_back(*v.tensor, *sizes);
    return v;
  }

  void pass(const FlatTensor& t) { out_.roots[static_cast<size_t>(t.root)].is_passed = true; }

  void pass_arguments() {
    for (const FlatStep& step : out_.steps)
      for (const FlatCallee& c : step.callees)
        for (const FlatArgument& a : c.args)
          if (a.tensor && !a.holds_sizes && !step.is_host) pass(*a.tensor);
  }

  void leave_results() {
    const bool is_call = !out_.steps.empty() && out_.steps.back().is_call() && !out_.steps.back().is_host;
    const FlatStep* last = is_call ? &out_.steps.back() : nullptr;
    const auto is_same = [&](const FlatTensor& a, const FlatTensor& b) {
      return a.root == b.root && a.tensor().rank == b.tensor().rank && a.tensor().dtype == b.tensor().dtype &&
             (!is_known(b.tensor()) || is_whole(a));
    };
    out_.ends_with_call = last && std::ranges::equal(out_.results, last->outputs, is_same);
    if (out_.ends_with_call) return;
    for (FlatTensor& t : out_.results) {
      if (!is_known(t.tensor())) unsupported(t.type->span, fmt::format("a result like `{}`", describe(t.type)));
      t = whole(t);
      pass(t);
    }
  }

  FlatValue bind(const Binding& b) {
    if (!b.is_match_cast()) return value(b.value);
    Analyzer analyzer;
    if (fits(b.cast_type, b.value->type, analyzer) != Fit::Yes && !relations_.add(b))
      unsupported(b.span, "a match_cast that must be checked");
    if (find<ShapeExpr>(b.value)) return {};
    FlatValue v = value(b.value);
    if (find<ShapeType>(b.cast_type)) return {};
    set_type(v, b.cast_type);
    return v;
  }

  // A cast to a type that leaves sizes open takes none away.
  static void set_type(FlatValue& v, const Type& type) {
    if (const auto* t = find<TensorType>(type); v.tensor && t && is_known(*t)) v.tensor->type = type;
    if (const auto* tuple = find<TupleType>(type))
      for (size_t i = 0; i < v.fields.size(); ++i) set_type(v.fields[i], tuple->fields[i]);
  }

  FlatValue kernel(KernelCall call, const Expr& e) {
    FlatStep step{.kernel = std::move(call), .span = e->span};
    for (const Expr& i : step.kernel->inputs) step.inputs.push_back(*value(i).tensor);
    for (const Type& t : step.kernel->outputs) step.outputs.push_back(add_root(RootKind::Intermediate, 0, t));
    FlatValue v;
    if (find<TupleType>(e->type))
      for (const FlatTensor& t : step.outputs) v.fields.push_back({t, {}});
    else
      v.tensor = step.outputs[0];
    out_.steps.push_back(std::move(step));
    return v;
  }

  void result(const FlatValue& v, const std::string& name, const Type& type) {
    const auto* tuple = find<TupleType>(type);
    if (!tuple) {
      // Nothing has checked the sizes of a shape whose rank is not known.
      const bool is_open = find<ShapeType>(type) && !type_of_sizes(type);
      const std::optional<FlatTensor> t = v.tensor && !is_open ? v.tensor : sizes_in_memory(type);
      if (!t) unsupported(type->span, fmt::format("a result like `{}`", describe(type)));
      out_.results.push_back(*t);
      out_.result_names.push_back(name);
    }
    for (size_t i = 0; i < v.fields.size(); ++i) result(v.fields[i], fmt::format("{}.{}", name, i), tuple->fields[i]);
  }

  // Returns a tensor of sizes that are known when the function starts; nullopt for other types.
  std::optional<FlatTensor> sizes_in_memory(const Type& type) {
    const Type held = type_of_sizes(type);
    const std::optional<std::vector<Scalar>> sizes = held ? sizes_of(type) : std::nullopt;
    if (!sizes) return std::nullopt;
    const FlatTensor t = add_root(RootKind::Sizes, 0, held);
    out_.roots.back().sizes = *sizes;
    return t;
  }

  FlatFunction& out_;
  const Module& module_;
  const bool is_inner_;
  std::vector<StateParam> states_;  // that sessions keep
  std::unordered_map<Ref<Var>, FlatValue> values_;
  SizeRelations relations_;
};

}  // namespace

FlatFunction flatten(const std::string& name, const Function& f, const Module& module, bool is_inner) {
  FlatFunction out;
  out.name = name;
  Flattener(out, module, is_inner).run(f);
  return out;
}

}  // namespace sunmao
