#include "script/scope.h"

namespace sunmao::script {

const Named* Scope::find(const std::string& name) const {
  for (size_t i = levels_.size(); i-- > 0;) {
    auto it = levels_[i].find(name);
    if (it != levels_[i].end()) return &it->second;
    if (hides_[i]) return nullptr;
  }
  return nullptr;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> out;
  for (const auto& level : levels_)
    for (const auto& [name, value] : level) out.push_back(name);
  for (const auto& [name, symbol] : symbols_) out.push_back(name);
  return out;
}

Ref<SymVar> Scope::find_symbol(const std::string& name) const {
  auto it = symbols_.find(symbol_key(name));
  return it == symbols_.end() ? nullptr : it->second;
}

Ref<SymVar> Scope::define_symbol(const std::string& name, DType dtype, Span span) {
  return define_symbol(name, SymVar::make(name, dtype, std::move(span)));
}

Ref<SymVar> Scope::define_symbol(const std::string& name, Ref<SymVar> symbol) {
  return symbols_.emplace(symbol_key(name), std::move(symbol)).first->second;
}

const DType* Scope::find_declared(const std::string& name) const {
  auto it = declared_.find(symbol_key(name));
  return it == declared_.end() ? nullptr : &it->second;
}

}  // namespace sunmao::script
