// Forms of a model that are easier to reduce: without weights beside it, in normal form, without private functions.
#include "compiler/reduction/flat_function.h"
#include "compiler/reduction/reduction_search.h"
#include "ir/source_names.h"
#include "passes/analysis/state_params.h"
#include "passes/passes.h"

namespace sunmao::reduction {
namespace {

Module with_plain_functions(const Module& module) {
  return map_functions(module, [](const Ref<Function>& f) {
    Attrs attrs = f->attrs;
    for (const char* name :
         {kSourceOutputsAttr, kSourceInputsAttr, kSourceWeightsAttr, kNestingAttr, kStateNamesAttr, kKeepsStateAttr})
      attrs = attrs.without(name);
    return attrs.same_as(f->attrs) ? f : find_ref<Function>(Expr(f->with_attrs(attrs)));
  });
}

Ref<Function> with_constants(const Ref<Function>& f, const Weights& weights) {
  FlatFunction flat = flatten(f);
  FlatEdits edits;
  std::vector<Ref<Var>> others;
  for (const Ref<Var>& p : flat.weights)
    if (auto it = weights.find(p->name); it != weights.end())
      edits.values.emplace(p, Constant::make(it->second, p->span));
    else
      others.push_back(p);
  flat.weights = std::move(others);
  return edits.values.empty() ? f : build(flat, edits);
}

}  // namespace

void simplify_forms(ReductionSearch& search) {
  search.begin_step("forms");
  const Module& module = search.best().module;
  search.attempt_module([&] { return with_plain_functions(module); });
  const bool has_inputs = search.attempt_module([&] { return with_weights_as_inputs(search.best().module); });
  if (!has_inputs) search.attempt_module([&] { return with_weights_as_constants(search.best()); });
  search.attempt_module([&] { return normalize(search.best().module, PassContext{}); });
  search.attempt_module([&] { return inline_private_functions(search.best().module, PassContext{}); });
}

}  // namespace sunmao::reduction

namespace sunmao {

Module with_weights_as_inputs(const Module& module) {
  return map_functions(module, [](const Ref<Function>& f) {
    return f->attrs.has("num_input") ? find_ref<Function>(Expr(f->with_attrs(f->attrs.without("num_input")))) : f;
  });
}

Module with_weights_as_constants(const Model& model) {
  return map_functions(model.module,
                       [&](const Ref<Function>& f) { return reduction::with_constants(f, model.weights); });
}

}  // namespace sunmao
