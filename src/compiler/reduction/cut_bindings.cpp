// Smaller modules by leaving out functions, bindings and results.
#include "compiler/reduction/flat_function.h"
#include "compiler/reduction/reduction_search.h"
#include "compiler/reduction/subset.h"

namespace sunmao::reduction {
namespace {

constexpr const char* kMain = "main";

Ref<Function> function_of(const ReductionSearch& search, const std::string& name) {
  return search.best().module.find_as<Function>(name);
}

FlatFunction flat_of(const ReductionSearch& search, const std::string& name) {
  FlatFunction flat = flatten(function_of(search, name));
  flat.keeps_signature = !search.roots().contains(name);
  return flat;
}

void cut_function(ReductionSearch& search, const std::string& name) {
  const FlatFunction whole = flat_of(search, name);
  minimal_subset(whole.bindings.size(), [&](const Indices& kept) {
    return search.attempt_function(name, [&] {
      FlatFunction flat = whole;
      flat.bindings.clear();
      for (size_t i : kept) flat.bindings.push_back(whole.bindings[i]);
      return build(flat);
    });
  });
}

void drop_results(ReductionSearch& search, const std::string& name) {
  const FlatFunction whole = flat_of(search, name);
  if (whole.keeps_signature || whole.results.size() < 2) return;
  minimal_subset(whole.results.size(), [&](const Indices& kept) {
    return search.attempt_function(name, [&] {
      FlatFunction flat = whole;
      flat.returns_unused = false;
      flat.results.clear();
      for (size_t i : kept) flat.results.push_back(whole.results[i]);
      return build(flat);
    });
  });
}

Module with_main(const Module& module, const Ref<Function>& f) {
  return module.with_function(kMain, f->with_attrs(f->attrs.with("global_symbol", kMain)));
}

}  // namespace

void drop_functions(ReductionSearch& search) {
  search.begin_step("functions");
  const Module whole = search.best().module;
  const std::vector<FunctionEntry>& all = whole.functions();
  if (all.size() < 2) return;
  minimal_subset(all.size(), [&](const Indices& kept) {
    return search.attempt_module([&] {
      std::unordered_set<std::string> names;
      for (size_t i : kept) names.insert(all[i].var->name);
      if (names.empty()) throw NoCandidate{};
      return whole.without_functions([&](const FunctionEntry& e) { return !names.contains(e.var->name); });
    });
  });
  for (const std::string& name : graph_functions(search)) {
    const Ref<Function> f = function_of(search, name);
    if (f && !search.roots().contains(name))
      search.attempt_root(kMain, [&] { return with_main(search.best().module, f); });
  }
}

void cut_bindings(ReductionSearch& search) {
  search.begin_step("bindings");
  for (const std::string& name : graph_functions(search))
    if (function_of(search, name)) cut_function(search, name);
  search.begin_step("results");
  for (const std::string& name : graph_functions(search))
    if (function_of(search, name)) drop_results(search, name);
}

}  // namespace sunmao::reduction
