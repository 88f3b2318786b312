// The pass `channels-last`: convolutions, pools and resizing compute on tensors whose channels are the last dimension,
// and what lies between them follows, where the steps that this saves are more than those of the transposes at the
// edges. Vectors of channels are then runs of memory.
#include <fmt/format.h>

#include "passes/layout/convert_layout.h"
#include "passes/layout/flattened_products.h"
#include "passes/layout/layout_regions.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

// All ops that have layouts of their own.
const DesiredLayouts& layouts_with_channels_last() {
  static const DesiredLayouts layouts = [] {
    DesiredLayouts out{{"image.resize2d", {"NHWC"}}, {"image.resize3d", {"NDHWC"}}};
    for (const char* axes : {"W", "HW", "DHW"}) {
      const std::string images = fmt::format("N{}C", axes), weights = fmt::format("{}IO", axes);
      const std::string dims = fmt::format("{}d", std::string_view(axes).size());
      for (const char* after : {"", "_transpose"}) out["nn.conv" + dims + after] = {images, weights};
      for (const char* pool : {"max_pool", "avg_pool", "adaptive_max_pool", "adaptive_avg_pool"})
        out[fmt::format("nn.{}{}", pool, dims)] = {images};
    }
    return out;
  }();
  return layouts;
}

}  // namespace

Module channels_last(const Module& m, const PassContext& ctx) {
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    const Ref<Function> old = find_ref<Function>(Expr(e.func));
    if (!old) continue;
    LayoutPlans plans;
    const auto note = [&](const Binding& b, const LayoutPlan& plan) { plans.emplace(b.var, plan); };
    const DesiredLayouts& desired = layouts_with_channels_last();
    convert_layout(old, desired, {.on_plan = note});
    if (plans.empty()) continue;
    std::function<void(const std::string&)> tell;
    if (ctx.on_explain) tell = [&](const std::string& line) { ctx.on_explain(e.var->name + ": " + line); };
    const auto staying = calls_that_stay(*old, plans, flattened_for_products(*old), tell);
    const auto stays = [&](const Ref<Var>& var) { return staying.contains(var); };
    const Ref<Function> made = permute_flattened_weights(convert_layout(old, desired, {.stays = stays}));
    if (made != old) changed.push_back({e.var, made});
  }
  return changed.empty() ? m : m.with_functions(std::move(changed));
}

}  // namespace sunmao
