#include "compiler/symbol_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/names.h"
#include "ir/source_names.h"
#include "ir/walk.h"
#include "passes/weights/bind_symbolic_vars.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

constexpr const char* kMain = "main";

AttrMap with_keys(const AttrMap& bounds, const std::map<std::string, std::string>& names) {
  AttrMap out;
  for (const auto& [name, bound] : bounds) {
    const auto other = names.find(name);
    out.insert_or_assign(other == names.end() ? name : other->second, bound);
  }
  return out;
}

/// Returns a parameter of `main` by its name in the file or in scripts; null when there is none.
Ref<Var> find_input(const Function& f, const std::string& name) {
  const AttrMap* originals = f.attr<AttrMap>(kSourceInputsAttr);
  for (const Ref<Var>& p : f.params) {
    if (p->name == name) return p;
    const auto original = originals ? originals->find(p->name) : AttrMap::const_iterator();
    const std::string* text =
        originals && original != originals->end() ? original->second.find<std::string>() : nullptr;
    if (text && *text == name) return p;
  }
  return nullptr;
}

[[noreturn]] void bad_axis(const std::string& why, const std::string& help) {
  fail("E0512", {}, fmt::format("a dimension cannot be named: {}", why), help);
}

/// Returns the symbol that is the size of an axis.
Ref<SymVar> symbol_at(const Function& f, const NamedAxis& at) {
  const Ref<Var> input = find_input(f, at.input);
  if (!input) {
    std::vector<std::string> names;
    for (const Ref<Var>& p : f.params) names.push_back(p->name);
    const std::string close = did_you_mean(at.input, names);
    bad_axis(fmt::format("there is no input `{}`", at.input),
             close.empty() ? fmt::format("the parameters are {}", fmt::join(names, ", ")) : close);
  }
  const auto* type = find<TensorType>(input->type);
  const int64_t rank = type && type->dims() ? static_cast<int64_t>(type->dims()->size()) : 0;
  const int64_t axis = at.axis < 0 ? at.axis + rank : at.axis;
  if (axis < 0 || axis >= rank)
    bad_axis(fmt::format("`{}` is {} and has no axis {}", at.input, describe(input->type), at.axis),
             "axes count from 0");
  const Ref<SymVar> symbol = find_ref<SymVar>((*type->dims())[static_cast<size_t>(axis)]);
  if (!symbol)
    bad_axis(fmt::format("axis {} of `{}`, which is {}, is no symbol", at.axis, at.input, describe(input->type)),
             "a size that is fixed in the model stays so: export it with a dynamic dimension");
  return symbol;
}

}  // namespace

Module with_symbol_names(const Module& module, const std::map<std::string, std::string>& names) {
  const Ref<Function> main = names.empty() ? nullptr : module.find_as<Function>(kMain);
  if (!main) return module;
  Substitution symbols;
  std::map<std::string, std::string> used;
  for (const auto& [name, other] : names) {
    if (name == other || !find_symbols(*main, other).empty()) continue;
    for (const Ref<SymVar>& s : find_symbols(*main, name)) symbols.emplace(s, SymVar::make(other, s->dtype));
    used.emplace(name, other);
  }
  if (symbols.empty()) return module;
  Ref<Function> f = bind_symbols(main, symbols);
  for (const char* key : {"tir_var_lower_bound", "tir_var_upper_bound"})
    if (const AttrMap* bounds = f->attr<AttrMap>(key)) f = f->with_attr(key, with_keys(*bounds, used));
  return module.with_function(kMain, f);
}

Module with_named_axes(const Module& module, const std::vector<NamedAxis>& axes) {
  if (axes.empty()) return module;
  const Ref<Function> main = module.find_as<Function>(kMain);
  if (!main) bad_axis("the module has no function `main`", "its symbols keep the names that they have");
  std::map<std::string, std::string> names;
  for (const NamedAxis& at : axes) {
    NameSupply supply;
    reserve_words(supply);
    if (identifier(at.name) != at.name || supply.fresh(at.name) != at.name)
      bad_axis(fmt::format("`{}` is no name for a size", at.name), "letters, digits and underscores make a name");
    const Ref<SymVar> symbol = symbol_at(*main, at);
    const auto [known, is_new] = names.emplace(symbol->name, at.name);
    if (!is_new && known->second != at.name)
      bad_axis(fmt::format("`{}` and `{}` are one size in the model", known->second, at.name), "give it one name");
    const bool is_taken = symbol->name != at.name && !find_symbols(*main, at.name).empty();
    const bool is_given = std::ranges::count(names, at.name, [](const auto& n) { return n.second; }) > 1;
    if (is_taken || is_given) bad_axis(fmt::format("`{}` is another size already", at.name), "choose another name");
  }
  return with_symbol_names(module, names);
}

}  // namespace sunmao
