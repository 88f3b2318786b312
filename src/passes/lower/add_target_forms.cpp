// The pass `add-target-forms`: adds for each kernel and target a form of the kernel, a copy that following passes
// schedule for that target (passes/loop/kernel_forms.h).
#include <algorithm>

#include "passes/analysis/kernel_call.h"
#include "passes/loop/kernel_forms.h"
#include "passes/loop/kernel_versions.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "passes/weights/parameter_stages.h"

namespace sunmao {
namespace {

std::vector<Ref<Function>> graph_functions(const Module& m, bool only_transforms) {
  std::vector<Ref<Function>> out;
  for (const FunctionEntry& e : m.functions())
    if (Ref<Function> f = find_ref<Function>(Expr(e.func)); f && (!only_transforms || is_param_transform(*f)))
      out.push_back(std::move(f));
  return out;
}

std::string form_name(const Module& m, std::string kernel, const Target& target) {
  std::string name = std::move(kernel) + "_" + target.isa.name;
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.' || c == '+'; }, '_');
  const std::string base = name;
  for (int i = 1; m.find(name); ++i) name = base + "_" + std::to_string(i);
  return name;
}

class FormAdder {
 public:
  explicit FormAdder(const Module& m) : module_(m) {}

  void add(const Forms& kernels, const Target& target) {
    const Forms known = find_forms(module_, target);
    for (const auto& [name, kernel] : kernels) {
      const bool returns_number = find<PrimType>(kernel->result_type) != nullptr;  // the evaluator runs such functions
      if (returns_number || known.contains(name)) continue;
      Attrs attrs = kernel->attrs.without("global_symbol").with(kFormOfAttr, name).with(kFormTargetAttr, target.text());
      const Ref<PrimFunc> form = with_versions(kernel);
      if (form != kernel) attrs = attrs.with(kHasVersionsAttr, true);
      added_.push_back({GlobalVar::make(form_name(module_, name, target)), form->with_attrs(std::move(attrs))});
    }
  }

  Module finish() && { return added_.empty() ? module_ : module_.with_functions(std::move(added_)); }

 private:
  const Module& module_;
  std::vector<FunctionEntry> added_;
};

}  // namespace

Module add_target_forms(const Module& m, const PassContext& ctx) {
  const PassArguments args("add-target-forms", ctx);
  std::vector<Target> targets;
  for (const std::string& text : args.strings("targets")) targets.push_back(Target::parse(text));
  if (targets.empty()) targets.push_back(ctx.target);
  FormAdder adder(m);
  const Forms all = kernels_of(m, graph_functions(m, false));
  for (const Target& target : targets) adder.add(all, target);
  const std::string preparing = args.string("preparing");
  if (!preparing.empty() && std::ranges::find(targets, Target::parse(preparing)) == targets.end())
    adder.add(kernels_of(m, graph_functions(m, true)), Target::parse(preparing));
  return std::move(adder).finish();
}

}  // namespace sunmao
