#include "passes/weights/parameter_stages.h"

#include <algorithm>

#include "ir/infer.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {

std::vector<std::string> names_in(const BaseFunc& f, const char* attr) {
  if (const std::string* one = f.attr<std::string>(attr)) return {*one};
  std::vector<std::string> names;
  const AttrList* list = f.attr<AttrList>(attr);
  for (size_t i = 0; list && i < list->size(); ++i)
    if (const std::string* name = (*list)[i].find<std::string>()) names.push_back(*name);
  return names;
}

AttrValue name_or_names(const std::vector<std::string>& names) {
  if (names.size() == 1) return names[0];
  return AttrList(names.begin(), names.end());
}

namespace {

bool fit(const std::vector<Type>& expected, const std::vector<Type>& given) {
  Analyzer analyzer;
  return std::ranges::equal(expected, given,
                            [&](const Type& e, const Type& g) { return fits(e, g, analyzer) != Fit::No; });
}

// Returns the tuple type of a transform's only parameter; null when it has another signature.
const TupleType* taken_by(const Function& transform) {
  return transform.params.size() == 1 ? find<TupleType>(transform.params[0]->type) : nullptr;
}

bool is_transform_of(const Function& transform, const std::string& name, const Module& module) {
  const Ref<Function> f = module.find_as<Function>(name);
  const std::optional<size_t> inputs = num_input(*f, name);
  return inputs && has_transform_signature(transform, *f, *inputs);
}

constexpr const char* kNamingFunction = "the function that names it";

[[noreturn]] void fail_unfit(const std::string& name, const Function& transform, const std::string& other) {
  fail("E0532", transform.span,
       fmt::format("`{}` is named as a parameter transform, and what it takes and gives does not go with {}", name,
                   other),
       "a transform takes one tuple, the weights, and gives one, what the function takes in their place");
}

std::vector<std::string> stages_of(const std::string& name, const Module& module) {
  std::vector<std::string> names = names_in(*module.find_as<Function>(name), kParamTransformAttr);
  std::erase_if(names, [&](const std::string& stage) { return !module.find_as<Function>(stage); });
  return names;
}

// Returns the index of the first stage that does not fit the next one or the function `name`; `stages.size()` when all
// fit.
size_t first_misfit(const std::vector<std::string>& stages, const std::string& name, const Module& module) {
  for (size_t i = 0; i < stages.size(); ++i) {
    const Function& stage = *module.find_as<Function>(stages[i]);
    if (std::ranges::count(stages, stages[i]) > 1) return i;
    if (i + 1 == stages.size()) return is_transform_of(stage, name, module) ? stages.size() : i;
    const auto* given = find<TupleType>(stage.result_type);
    const TupleType* next = taken_by(*module.find_as<Function>(stages[i + 1]));
    if (!taken_by(stage) || !given || !next || !fit(next->fields, given->fields)) return i;
  }
  return stages.size();
}

}  // namespace

std::vector<std::string> param_transforms(const std::string& name, const Module& module) {
  std::vector<std::string> stages = stages_of(name, module);
  const size_t misfit = first_misfit(stages, name, module);
  if (misfit == stages.size()) return stages;
  const bool is_last = misfit + 1 == stages.size();
  fail_unfit(stages[misfit], *module.find_as<Function>(stages[misfit]),
             is_last ? kNamingFunction : fmt::format("`{}`", stages[misfit + 1]));
}

bool has_fitting_transforms(const std::string& name, const Module& module) {
  const std::vector<std::string> stages = stages_of(name, module);
  return !stages.empty() && first_misfit(stages, name, module) == stages.size();
}

void check_transform(const std::string& name, const Function& transform, const Function& f, size_t inputs) {
  if (!has_transform_signature(transform, f, inputs)) fail_unfit(name, transform, kNamingFunction);
}

bool has_transform_signature(const Function& transform, const Function& f, size_t inputs) {
  const auto* result = find<TupleType>(transform.result_type);
  if (!result || !taken_by(transform)) return false;
  std::vector<Type> weights;
  for (size_t i = inputs; i < f.params.size(); ++i) weights.push_back(f.params[i]->type);
  return fit(weights, result->fields);
}

}  // namespace sunmao
