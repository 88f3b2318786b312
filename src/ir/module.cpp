#include "ir/module.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace sunmao {

struct Module::State {
  std::vector<FunctionEntry> functions;
  std::unordered_map<std::string, size_t> index;
  Attrs attrs;
  GlobalInfos infos;

  void put(const Ref<GlobalVar>& var, Ref<BaseFunc> func) {
    auto [it, inserted] = index.try_emplace(var->name, functions.size());
    if (inserted)
      functions.push_back({var, std::move(func)});
    else
      functions[it->second].func = std::move(func);
  }
};

Module::Module() : state_(std::make_shared<State>()) {}

const std::vector<FunctionEntry>& Module::functions() const { return state_->functions; }

Ref<BaseFunc> Module::find(std::string_view name) const {
  auto it = state_->index.find(std::string(name));
  return it == state_->index.end() ? nullptr : state_->functions[it->second].func;
}

Ref<GlobalVar> Module::find_var(std::string_view name) const {
  auto it = state_->index.find(std::string(name));
  return it == state_->index.end() ? nullptr : state_->functions[it->second].var;
}

const Attrs& Module::attrs() const { return state_->attrs; }
const GlobalInfos& Module::global_infos() const { return state_->infos; }

Module Module::with_function(std::string_view name, Ref<BaseFunc> func) const {
  Ref<GlobalVar> var = find_var(name);
  return with_function(var ? var : GlobalVar::make(std::string(name)), std::move(func));
}

Module Module::with_function(const Ref<GlobalVar>& var, Ref<BaseFunc> func) const& {
  return with_functions({{var, std::move(func)}});
}

Module Module::with_function(const Ref<GlobalVar>& var, Ref<BaseFunc> func) && {
  if (state_.use_count() != 1) return std::as_const(*this).with_function(var, std::move(func));
  std::atomic_thread_fence(std::memory_order_acquire);  // other threads' last reads come before the write
  state_->put(var, std::move(func));
  return std::move(*this);
}

Module Module::with_functions(std::vector<FunctionEntry> entries) const& {
  bool changed = false;
  for (const FunctionEntry& e : entries) changed |= find(e.var->name) != e.func;
  if (!changed) return *this;
  auto next = std::make_shared<State>(*state_);
  for (FunctionEntry& e : entries) next->put(e.var, std::move(e.func));
  return Module(std::move(next));
}

Module Module::without_function(std::string_view name) const {
  return without_functions([&](const FunctionEntry& e) { return e.var->name == name; });
}

Module Module::without_functions(const std::function<bool(const FunctionEntry&)>& is_gone) const {
  if (std::ranges::none_of(state_->functions, is_gone)) return *this;
  auto next = std::make_shared<State>();
  next->attrs = state_->attrs;
  next->infos = state_->infos;
  for (const FunctionEntry& e : state_->functions)
    if (!is_gone(e)) next->put(e.var, e.func);
  return Module(std::move(next));
}

Module Module::with_attrs(Attrs attrs) const {
  if (attrs.same_as(state_->attrs)) return *this;
  auto next = std::make_shared<State>(*state_);
  next->attrs = std::move(attrs);
  return Module(std::move(next));
}

Module Module::with_global_infos(GlobalInfos infos) const {
  auto next = std::make_shared<State>(*state_);
  next->infos = std::move(infos);
  return Module(std::move(next));
}

}  // namespace sunmao
