#include "passes/graph/parameter_stages.h"

#include "ir/infer.h"

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

std::vector<std::string> param_transforms(const Function& f, const Module& module) {
  std::vector<std::string> names = names_in(f, kParamTransformAttr);
  std::erase_if(names, [&](const std::string& name) { return !module.find_as<Function>(name); });
  return names;
}

bool has_transform_signature(const Function& transform, const Function& f, size_t inputs) {
  const auto* result = find<TupleType>(transform.result_type);
  if (!result || transform.params.size() != 1 || !find<TupleType>(transform.params[0]->type)) return false;
  if (result->fields.size() + inputs != f.params.size()) return false;
  Analyzer analyzer;
  for (size_t i = 0; i < result->fields.size(); ++i)
    if (fits(f.params[inputs + i]->type, result->fields[i], analyzer) == Fit::No) return false;
  return true;
}

}  // namespace sunmao
