#include "passes/loop/kernel_forms.h"

#include <algorithm>

#include "loop/walk.h"

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

namespace {

using FormPass = std::function<Ref<PrimFunc>(const Ref<PrimFunc>&, const Target&)>;

Ref<PrimFunc> on_versions(const Ref<PrimFunc>& form, const Target& target, const FormPass& pass) {
  const auto* versions = form->attrs.has(kHasVersionsAttr) ? find<IfThenElse>(form->body) : nullptr;
  if (!versions) return pass(form, target);
  const Ref<PrimFunc> first = pass(form->with_body(versions->then_case), target);
  const Ref<PrimFunc> general = form->with_body(versions->else_case), other = pass(general, target);
  if (first->body == versions->then_case && other == general) return form;
  BufferMap params;  // a pass may have made other buffers of the same shapes for parameters
  for (size_t i = 0; i < first->params.size(); ++i)
    if (first->params[i].buffer != other->params[i].buffer)
      params.emplace(first->params[i].buffer, other->params[i].buffer);
  const Stmt body = params.empty() ? first->body : substitute(first->body, {}, params);
  return other->with_body(IfThenElse::make(versions->condition, body, other->body, versions->span));
}

}  // namespace

Module map_forms(const Module& module, const PassContext& context, const FormPass& pass) {
  const bool has_forms = std::ranges::any_of(module.functions(),
                                             [](const FunctionEntry& e) { return e.func->attrs.has(kFormTargetAttr); });
  std::map<std::string, Target> targets;
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : module.functions()) {
    const Ref<PrimFunc> f = find_ref<PrimFunc>(Expr(e.func));
    const auto* text = f ? f->attr<std::string>(kFormTargetAttr) : nullptr;
    if (!f || (has_forms && !text)) continue;
    const Target& target = text ? targets.try_emplace(*text, Target::parse(*text)).first->second : context.target;
    if (Ref<PrimFunc> now = on_versions(f, target, pass); now != f) changed.push_back({e.var, now});
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
