#include "frontend/onnx/scope.h"

namespace sunmao::onnx {
namespace {

std::string_view canonical(std::string_view domain) { return domain == "ai.onnx" ? std::string_view() : domain; }

}  // namespace

const Value* Scope::find(std::string_view name) const {
  for (const Scope* s = this; s; s = s->outer_)
    if (auto it = s->values_.find(name); it != s->values_.end()) return &it->second;
  return nullptr;
}

bool Scope::define(std::string_view name, Value value) { return values_.try_emplace(name, std::move(value)).second; }

int64_t Scope::opset(std::string_view domain) const {
  for (const OpsetImport& o : opsets_)
    if (canonical(o.domain) == canonical(domain)) return o.version;
  return 1;
}

}  // namespace sunmao::onnx
