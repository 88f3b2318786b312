#include "passes/loop/kernel_forms.h"

#include <algorithm>

namespace sunmao {

Forms find_forms(const Module& module, const Target& target) {
  Forms out;
  const std::string text = target.text();
  for (const FunctionEntry& e : module.functions()) {
    const auto *kernel = e.func->attr<std::string>(kFormOfAttr), *own = e.func->attr<std::string>(kFormTargetAttr);
    Ref<PrimFunc> form = find_ref<PrimFunc>(Expr(e.func));
    if (form && kernel && own && *own == text) out.emplace(*kernel, std::move(form));
  }
  return out;
}

Module map_forms(const Module& module, const PassContext& context,
                 const std::function<Ref<PrimFunc>(const Ref<PrimFunc>&, const Target&)>& pass) {
  const bool has_forms = std::ranges::any_of(module.functions(),
                                             [](const FunctionEntry& e) { return e.func->attrs.has(kFormTargetAttr); });
  std::map<std::string, Target> targets;
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : module.functions()) {
    const Ref<PrimFunc> f = find_ref<PrimFunc>(Expr(e.func));
    const auto* text = f ? f->attr<std::string>(kFormTargetAttr) : nullptr;
    if (!f || (has_forms && !text)) continue;
    const Target& target = text ? targets.try_emplace(*text, Target::parse(*text)).first->second : context.target;
    if (Ref<PrimFunc> now = pass(f, target); now != f) changed.push_back({e.var, now});
  }
  return changed.empty() ? module : module.with_functions(std::move(changed));
}

Module with_forms_as_kernels(const Module& module, const Target& target) {
  std::vector<FunctionEntry> changed;
  for (const auto& [kernel, form] : find_forms(module, target))
    if (const Ref<PrimFunc> before = module.find_as<PrimFunc>(kernel))
      changed.push_back({module.find_var(kernel), form->with_attrs(before->attrs)});
  return changed.empty() ? module : module.with_functions(std::move(changed));
}

}  // namespace sunmao
