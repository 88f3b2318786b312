#include "passes/analysis/well_formed.h"

#include <algorithm>

#include "ir/type_relation.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "loop/prim_func.h"
#include "ops/custom_ops.h"

namespace sunmao {
namespace {

constexpr size_t kNoLimit = 10000;

// Checks the call_tir and call_tir_inplace calls of graph-level functions against the signatures of the called
// functions.
class KernelCalls final : public Visitor {
 public:
  KernelCalls(const Module& module, std::vector<Diagnostic>& found) : module_(module), found_(found) {}
  using Visitor::visit;

 private:
  void visit(const Call& call) override {
    Visitor::visit(call);
    bool in_place = find_call(Expr(&call), "call_tir_inplace") != nullptr;
    if (!in_place && !find_call(Expr(&call), "call_tir")) return;
    const auto* callee = find<GlobalVar>(call.args[0]);
    Ref<PrimFunc> func = callee ? module_.find_as<PrimFunc>(callee->name) : nullptr;
    if (func) check(call, *callee, *func, in_place);
  }

  void report(const Call& call, const GlobalVar& callee, std::string what) {
    found_.push_back({.code = "E0508",
                      .message = fmt::format("call_tir of `{}`: {}", callee.name, what),
                      .span = call.span,
                      .notes = {},
                      .help = "compare the function's parameters with the call's arguments"});
  }

  // Returns the types of the tensors passed to the callee: the inputs, then the outputs that do not share an input's
  // memory.
  static std::vector<Type> handed(const Call& call, bool in_place, std::vector<std::pair<size_t, Type>>& shared) {
    std::vector<Type> types;
    const auto* tuple = find<Tuple>(call.args[1]);
    const auto* tuple_type = find<TupleType>(call.args[1]->type);
    if (tuple)
      for (const Expr& e : tuple->fields) types.push_back(e->type);
    else if (tuple_type)
      types = tuple_type->fields;
    else
      types.push_back(call.args[1]->type);
    const auto* results = find<TupleType>(call.type);
    std::vector<Type> outputs = results ? results->fields : std::vector{call.type};
    const AttrValue* given = in_place ? call.attrs.find("inplace_indices") : nullptr;
    std::optional<std::vector<int64_t>> indices = given ? given->as_ints() : std::nullopt;
    for (size_t i = 0; i < outputs.size(); ++i) {
      int64_t input = indices && i < indices->size() ? (*indices)[i] : -1;
      if (input < 0)
        types.push_back(outputs[i]);
      else
        shared.emplace_back(static_cast<size_t>(input), outputs[i]);
    }
    return types;
  }

  void check(const Call& call, const GlobalVar& callee, const PrimFunc& func, bool in_place) {
    std::vector<std::pair<size_t, Type>> shared;
    std::vector<Type> types = handed(call, in_place, shared);
    if (call.args.size() > 2)
      if (const auto* scalars = find<ShapeExpr>(call.args[2]))
        for (const Scalar& s : scalars->values) types.push_back(PrimType::of_value(s));
    const auto* signature = find<CallableType>(func.type);
    if (types.size() != signature->params->size())
      return report(
          call, callee,
          fmt::format("it takes {} arguments, got {} with the results", signature->params->size(), types.size()));
    std::vector<Expr> args;
    for (const Type& t : types) args.push_back(Var::make("arg", t ? t : AnyType::make()));
    for (const auto& [input, type] : shared) {
      Analyzer analyzer;
      if (input >= types.size() || fits(types[input], type, analyzer) == Fit::No)
        return report(call, callee, fmt::format("a result in the place of input {} is {}", input, describe(type)));
    }
    try {
      infer_call(*signature, args, call.span, callee.name);
    } catch (const UserError& e) {
      report(call, callee, e.diagnostics().front().message);
    }
  }

  const Module& module_;
  std::vector<Diagnostic>& found_;
};

// Checks that calls of custom ops are in the normal form that the ops define, and runs the ops' own validation.
class CustomCalls final : public Visitor {
 public:
  explicit CustomCalls(std::vector<Diagnostic>& found) : found_(found) {}
  using Visitor::visit;

 private:
  void visit(const Call& call) override {
    Visitor::visit(call);
    const Op* op = op_of(call);
    std::shared_ptr<const CustomOp> custom = op ? find_custom_op(op->name()) : nullptr;
    if (!custom) return;
    if (normal_custom_call(Ref<Call>(&call)) != Expr(&call))
      found_.push_back({.code = "E0416",
                        .message = fmt::format("a call of `{}` is not in the normal form of the op", op->name()),
                        .span = call.span,
                        .notes = {},
                        .help = "run `normalize`"});
    if (!custom->validate) return;
    try {
      custom->validate(call);
    } catch (const UserError& e) {
      found_.insert(found_.end(), e.diagnostics().begin(), e.diagnostics().end());
    }
  }

  std::vector<Diagnostic>& found_;
};

bool is_about_types(const std::string& code) {
  return code == "E0403" || code == "E0405" || code == "E0409" || code == "E0417";
}

}  // namespace

std::vector<Diagnostic> check_well_formed(const Module& module, WellFormedOptions options) {
  std::vector<Diagnostic> found = verify(module, Stage::Normal, kNoLimit);
  if (!options.check_types) std::erase_if(found, [](const Diagnostic& d) { return is_about_types(d.code); });
  for (const FunctionEntry& e : module.functions())
    if (find<Function>(Expr(e.func))) CustomCalls(found).visit(Expr(e.func));
  if (options.check_types)
    for (const FunctionEntry& e : module.functions())
      if (find<Function>(Expr(e.func))) KernelCalls(module, found).visit(Expr(e.func));
  return found;
}

std::vector<Diagnostic> check_well_formed(const Ref<Function>& function, WellFormedOptions options) {
  const std::string* symbol = function->attr<std::string>("global_symbol");
  std::vector<Diagnostic> found =
      check_well_formed(Module().with_function(symbol ? *symbol : "main", function), options);
  std::erase_if(found, [](const Diagnostic& d) { return d.code == "E0407"; });
  return found;
}

Module with_computed_results(const Module& module) {
  return map_functions(module, [](const Ref<Function>& f) {
    Analyzer analyzer;
    if (!f->result_type || !f->body->type || fits(f->result_type, f->body->type, analyzer) != Fit::No) return f;
    return Function::make(f->params, f->body, nullptr, f->is_pure, f->attrs, f->span);
  });
}

}  // namespace sunmao
