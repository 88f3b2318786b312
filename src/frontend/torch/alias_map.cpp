#include "frontend/torch/alias_map.h"

namespace sunmao::torch {

AliasMap::Id AliasMap::add(Expr value, std::string problem) {
  tensors_.push_back({.value = std::move(value), .problem = std::move(problem), .view = {}});
  return tensors_.size() - 1;
}

AliasMap::Id AliasMap::add_view(Id whole, Expr value, View view) {
  const uint64_t version = tensors_[whole].version;
  tensors_.push_back(
      {.value = std::move(value), .problem = {}, .whole = whole, .view = std::move(view), .version_of_whole = version});
  return tensors_.size() - 1;
}

Expr AliasMap::read(Id id) {
  // From the view down to the tensor with memory, then back up: a chain of views may be long.
  std::vector<Id> chain;
  for (Id at = id; tensors_[at].whole != kNone; at = tensors_[at].whole) chain.push_back(at);
  while (!chain.empty()) {
    const Id at = chain.back();
    chain.pop_back();
    const uint64_t version = tensors_[tensors_[at].whole].version;
    if (tensors_[at].version_of_whole == version) continue;
    tensors_[at].version_of_whole = version;
    Expr value = tensors_[at].view.read();
    tensors_[at].value = std::move(value);
    ++tensors_[at].version;
  }
  return tensors_[id].value;
}

void AliasMap::write(Id id, Expr value) {
  std::vector<Id> chain;
  for (Id at = id;; at = tensors_[at].whole) {
    chain.push_back(at);
    if (tensors_[at].whole == kNone) break;
  }
  for (const Id at : chain) {
    const Id whole = tensors_[at].whole;
    Expr next = whole == kNone ? Expr() : tensors_[at].view.write(read(whole), value);
    tensors_[at].value = std::move(value);
    ++tensors_[at].version;
    value = std::move(next);
  }
  for (const Id at : chain)
    if (tensors_[at].whole != kNone) tensors_[at].version_of_whole = tensors_[tensors_[at].whole].version;
}

}  // namespace sunmao::torch
