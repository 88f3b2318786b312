#include "compiler/build_for_vm.h"

#include "ir/op.h"
#include "ir/walk.h"
#include "passes/lower/in_function.h"

namespace sunmao {
namespace {

constexpr std::string_view kNotExpressible = "E1020";

NeedsUpstreamVm needs_upstream_vm(const std::string& reason, Diagnostic refusal) {
  return {fmt::format("the module runs in the interpreter of register programs, not as bytecode: {}", reason),
          std::move(refusal)};
}

/// Finds the first call that lets a function of the host change a tensor. Objects, such as caches, are the host's in
/// both engines.
class ChangedTensor final : public Visitor {
 public:
  using Visitor::visit;
  const Call* call = nullptr;
  Expr argument;

 private:
  void visit(const Call& c) override {
    Visitor::visit(c);
    const Op* op = op_of(c);
    if (call || !op || op->name() != "call_inplace_packed") return;
    const AttrValue* places = c.attrs.find("inplace_indices");
    for (const int64_t place : places ? places->as_ints().value() : std::vector<int64_t>()) {
      if (place < 0 || find<AnyType>(c.args.at(static_cast<size_t>(place) + 1)->type)) continue;
      call = &c;
      argument = c.args[static_cast<size_t>(place) + 1];
      return;
    }
  }
};

std::string text_of_change(const std::string& function, const ChangedTensor& changed) {
  const auto* callee = find<ExternFunc>(changed.call->args[0]);
  const auto* var = find<Var>(changed.argument);
  return fmt::format("in `{}`, {} changes {}, and bytecode would pass a copy", function,
                     callee ? "\"" + callee->name + "\"" : "a function of the host",
                     var ? "`" + var->name + "`" : "a constant");
}

std::optional<NeedsUpstreamVm> find_changed_tensor(const Module& module) {
  for (const FunctionEntry& e : module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f) continue;
    ChangedTensor changed;
    changed.visit(Expr(f));
    if (!changed.call) continue;
    const std::string text = text_of_change(e.var->name, changed);
    return needs_upstream_vm(text, {.code = std::string(kNotExpressible),
                                    .message = text,
                                    .span = changed.call->span,
                                    .help = "see docs/errors/E1020.md"});
  }
  return std::nullopt;
}

/// Returns the graph-level function in whose lines a place is, or the only one; empty when that is not known.
std::string function_at(const Module& module, const Span& place) {
  std::string nearest, only;
  int line = 0;
  size_t count = 0;
  for (const FunctionEntry& e : module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f) continue;
    only = ++count == 1 ? e.var->name : "";
    if (!place || !f->span || f->span->source != place->source) continue;
    if (f->span->line <= line || f->span->line > place->line) continue;
    line = f->span->line;
    nearest = e.var->name;
  }
  return only.empty() ? nearest : only;
}

/// Returns the function that a refusal is about: as the pass says, or by the place.
std::string function_of(const Diagnostic& refusal, const Module& module) {
  for (const Diagnostic::Details& details : refusal.details)
    for (const auto& [key, value] : details)
      if (key == kFunctionDetail) return value;
  return function_at(module, refusal.span);
}

NeedsUpstreamVm not_expressible(const Module& module, const Diagnostic& refusal) {
  const std::string function = function_of(refusal, module);
  return needs_upstream_vm(fmt::format("bytecode cannot express {}: {} ({})",
                                       function.empty() ? "it" : "`" + function + "`", refusal.message, refusal.code),
                           refusal);
}

}  // namespace

std::variant<Compiled, NeedsUpstreamVm> build_for_vm(const Model& model, const CompileOptions& options) {
  if (std::optional<NeedsUpstreamVm> reason = find_changed_tensor(model.module)) return std::move(*reason);
  try {
    return compile(model, options);
  } catch (const UserError& error) {
    // What bytecode expresses is known to the passes and the emission that refuse the rest: they say it by this code,
    // before any kernel is compiled. An analysis beside them would be a second copy of their rules.
    const Diagnostic& refusal = error.diagnostics()[0];
    if (refusal.code != kNotExpressible) throw;
    return not_expressible(model.module, refusal);
  }
}

}  // namespace sunmao
