#include "codegen/vm/value_names.h"

#include "ir/module.h"
#include "ir/source_names.h"

namespace sunmao {

std::string input_name(const Function& f, const std::string& param) {
  const AttrMap* names = f.attr<AttrMap>(kSourceInputsAttr);
  const auto found = names ? names->find(param) : AttrMap::const_iterator();
  const std::string* name = names && found != names->end() ? found->second.find<std::string>() : nullptr;
  return name ? *name : param;
}

std::vector<std::string> output_names(const Function& f, size_t count) {
  const AttrList* names = f.attr<AttrList>(kSourceOutputsAttr);
  std::vector<std::string> out;
  if (!names || names->size() != count) return out;
  for (const AttrValue& name : *names) {
    const auto* text = name.find<std::string>();
    if (!text) return {};
    out.push_back(*text);
  }
  return out;
}

}  // namespace sunmao
