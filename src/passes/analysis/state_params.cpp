#include "passes/analysis/state_params.h"

#include <algorithm>

#include "ir/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Returns the attribute as pairs of parameter and state.
std::vector<std::pair<std::string, std::string>> stated_names(const Function& f, const std::string& name) {
  std::vector<std::pair<std::string, std::string>> out;
  const AttrValue* stated = f.attrs.find(kStateNamesAttr);
  const auto add = [&](const std::string* param, const std::string* state) {
    if (!param || !state)
      fail("E0546", f.span, fmt::format("`{}`: its attribute `state_names` holds what is no text", name),
           "write a list of parameters, or a dictionary of parameters and names of states");
    out.emplace_back(*param, *state);
  };
  if (!stated) return out;
  const auto* list = stated->find<AttrList>();
  const auto* map = stated->find<AttrMap>();
  if (!list && !map) add(nullptr, nullptr);
  for (const AttrValue& param : list ? *list : AttrList()) add(param.find<std::string>(), param.find<std::string>());
  for (const auto& [param, state] : map ? *map : AttrMap()) add(&param, state.find<std::string>());
  return out;
}

}  // namespace

std::vector<StateParam> state_params(const Function& f, const std::string& name) {
  std::vector<StateParam> out;
  const auto index_of = [&](const Ref<Var>& param) { return std::ranges::find(f.params, param) - f.params.begin(); };
  for (auto& [param, state] : stated_names(f, name)) {
    const auto found = std::ranges::find(f.params, param, [](const Ref<Var>& p) { return p->name; });
    if (found == f.params.end())
      fail("E0546", f.span,
           fmt::format("`{}`: `state_names` names `{}`, and the function has no such parameter", name, param));
    // Names go into files: safetensors keeps some for itself.
    if (state.empty() || state.starts_with("__") || state.find('\0') != std::string::npos)
      fail("E0546", f.span, fmt::format("`{}`: a state cannot be named {:?}", name, state),
           "choose a name that is not empty and does not begin with two underscores");
    const auto is_known = [&](const StateParam& known) { return known.param == *found || known.state == state; };
    if (std::ranges::any_of(out, is_known))
      fail("E0546", f.span, fmt::format("`{}`: `state_names` has `{}` twice", name, state));
    out.push_back({*found, state});
  }
  std::ranges::sort(out, {}, [&](const StateParam& s) { return index_of(s.param); });
  return out;
}

std::vector<StateParam> kept_state_params(const Function& f, const std::string& name) {
  return f.attrs.has(kKeepsStateAttr) ? state_params(f, name) : std::vector<StateParam>();
}

Module keep_state(const Module& module) {
  return map_functions(module, [](const Ref<Function>& f) {
    const bool has_state = f->attrs.has(kStateNamesAttr) && f->attrs.has("global_symbol");
    return has_state ? f->with_attr(kKeepsStateAttr, true) : f;
  });
}

}  // namespace sunmao
