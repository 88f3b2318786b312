// The pass `apply-tuning`: kernels that the module's tuning knows take the plans that it has for their target.
#include <algorithm>

#include "ir/equal.h"
#include "passes/loop/kernel_forms.h"
#include "passes/passes.h"
#include "passes/schedule/schedule.h"
#include "passes/schedule/tuning.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

[[noreturn]] void fail_form() {
  fail("E0548", {}, fmt::format("{}: expected plans by kernel and target", kTuningAttr),
       "the form is {\"<kernel>\": {\"<target>\": [\"<plan>\", …]}}; `sunmao tune` measures them");
}

const AttrMap& as_map(const AttrValue& value) {
  if (const auto* map = value.find<AttrMap>()) return *map;
  fail_form();
}

std::vector<std::string> as_texts(const AttrValue& value) {
  const auto* list = value.find<AttrList>();
  std::vector<std::string> out;
  for (const AttrValue& item : list ? *list : AttrList())
    if (const auto* text = item.find<std::string>()) out.push_back(*text);
  if (!list || out.size() != list->size()) fail_form();
  return out;
}

}  // namespace

std::string kernel_digest(const PrimFunc& kernel) {
  const bool* versions = kernel.attrs.find<bool>(kHasVersionsAttr);
  const Attrs attrs = versions ? Attrs().with(kHasVersionsAttr, *versions) : Attrs();
  StructuralHasher hasher(Equality::Options{.skip_block_names = true});
  hash(Expr(kernel.with_attrs(attrs)), hasher);
  return fmt::format("{:016x}", hasher.value());
}

Module with_tuning(const Module& module, const TunedPlans& tuning) {
  if (tuning.empty()) return module;
  AttrMap all;
  if (const AttrValue* known = module.attrs().find(kTuningAttr)) all = as_map(*known);
  for (const auto& [kernel, plans_on] : tuning) {
    AttrMap targets;
    if (const auto known = all.find(kernel); known != all.end()) targets = as_map(known->second);
    for (const auto& [target, plans] : plans_on) targets[target] = AttrList(plans.begin(), plans.end());
    all[kernel] = std::move(targets);
  }
  return module.with_attrs(module.attrs().with(kTuningAttr, std::move(all)));
}

TunedPlans tuning_of(const Module& module) {
  TunedPlans out;
  const AttrValue* value = module.attrs().find(kTuningAttr);
  if (!value) return out;
  for (const auto& [kernel, targets] : as_map(*value))
    for (const auto& [target, plans] : as_map(targets)) out[kernel][target] = as_texts(plans);
  return out;
}

Module apply_tuning(const Module& m, const PassContext& ctx) {
  const TunedPlans tuning = tuning_of(m);
  if (!m.attrs().has(kTuningAttr)) return m;
  const bool has_forms =
      std::ranges::any_of(m.functions(), [](const FunctionEntry& e) { return e.func->attrs.has(kFormTargetAttr); });
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    const Ref<PrimFunc> f = find_ref<PrimFunc>(Expr(e.func));
    const auto* text = f ? f->attr<std::string>(kFormTargetAttr) : nullptr;
    if (!f || (has_forms && !text) || f->attrs.has(kPlansAttr)) continue;
    const auto known = tuning.find(kernel_digest(*f));
    if (known == tuning.end()) continue;
    const Target target = text ? Target::parse(*text) : ctx.target;
    const auto plans = known->second.find(target.text());
    if (plans == known->second.end()) continue;
    const Ref<BaseFunc> tuned =
        f->with_attrs(f->attrs.with(kPlansAttr, AttrList(plans->second.begin(), plans->second.end())));
    if (has_chosen_plans(find_ref<PrimFunc>(Expr(tuned)), target))
      changed.push_back({e.var, tuned});
    else if (ctx.on_notice)
      ctx.on_notice(fmt::format("the tuning of the kernel `{}` is left aside: it has no plans `{}` for {}", e.var->name,
                                fmt::join(plans->second, "`, `"), target.text()));
  }
  const Module out = m.with_attrs(m.attrs().without(kTuningAttr));
  return changed.empty() ? out : out.with_functions(std::move(changed));
}

}  // namespace sunmao
