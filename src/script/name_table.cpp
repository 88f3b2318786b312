#include "script/name_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "script/spelling.h"

namespace sunmao::script {

NameTable::NameTable() {
  for (const char* word :
       {"R", "T", "I", "cls", "Module", "metadata", "relax", "tir", "tirx", "range", "float", "min", "max", "abs"})
    used_[word] = 0;
  push();
}

std::string NameTable::unused(const std::string& base) {
  auto it = used_.find(base);
  if (it == used_.end()) return base;
  for (int& suffix = it->second;;) {
    std::string candidate = base + "_" + std::to_string(++suffix);
    if (!used_.contains(candidate)) return candidate;
  }
}

const std::string& NameTable::define_in(std::vector<Entry>& scope, const Node* node, const std::string& hint) {
  std::string base = to_name(hint);
  if (shows_addresses_) base += fmt::format("_{}", static_cast<const void*>(node));
  std::string name = unused(base);
  used_.emplace(name, 0);
  scope.push_back({node, name, base});
  return names_[node] = name;
}

const std::string& NameTable::define(const Node* node, const std::string& hint) {
  return define_in(scopes_.back(), node, hint);
}
const std::string& NameTable::define_outermost(const Node* node, const std::string& hint) {
  return define_in(scopes_.front(), node, hint);
}

void NameTable::set_text(const Node* node, std::string text) {
  scopes_.back().push_back({node, {}, {}});
  names_[node] = std::move(text);
}

std::string NameTable::fresh(const std::string& hint) {
  std::string base = to_name(hint);
  std::string name = unused(base);
  used_.emplace(name, 0);
  return name;
}

const std::string* NameTable::find(const Node* node) const {
  auto it = names_.find(node);
  return it == names_.end() ? nullptr : &it->second;
}

void NameTable::pop() {
  for (const Entry& e : scopes_.back()) {
    names_.erase(e.node);
    if (e.name.empty()) continue;
    used_.erase(e.name);
    // Frees the suffix, so that the next clash with the base reuses it.
    if (auto it = used_.find(e.base); e.name != e.base && it != used_.end()) it->second = 0;
  }
  scopes_.pop_back();
}

}  // namespace sunmao::script
