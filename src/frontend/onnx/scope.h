// Scope: the values that the nodes of a graph, a body or a function see.
#pragma once
#include <string>
#include <unordered_map>

#include "frontend/onnx/node_context.h"

namespace sunmao::onnx {

class Scope {
 public:
  /// The scope of a graph or a function, which sees nothing else.
  Scope(const std::vector<OpsetImport>& opsets, std::string path) : opsets_(opsets), path_(std::move(path)) {}
  /// The scope of a body, which also sees what `outer` sees.
  Scope(const Scope& outer, std::string path) : outer_(&outer), opsets_(outer.opsets_), path_(std::move(path)) {}

  /// Returns the value of a name; null when nothing defines it.
  const Value* find(std::string_view name) const;
  /// False when this scope defines the name already.
  [[nodiscard]] bool define(std::string_view name, Value value);
  /// Returns the opset of a domain; 1 when none is stated.
  int64_t opset(std::string_view domain) const;
  /// Returns where the nodes stand, such as "node `If_3`, `then_branch`, "; empty for the model's graph.
  const std::string& path() const { return path_; }

 private:
  const Scope* const outer_ = nullptr;
  const std::vector<OpsetImport>& opsets_;
  const std::string path_;
  std::unordered_map<std::string_view, Value> values_;
};

}  // namespace sunmao::onnx
