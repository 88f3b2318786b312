#include "view/graph.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace sunmao::view {

std::string title_of(const GraphNode& node) {
  if (node.kind == NodeKind::Input || node.kind == NodeKind::Output) return node.name;
  return node.kind == NodeKind::Call ? node.op.substr(node.op.rfind('.') + 1) : node.op;
}

std::string module_of(const GraphNode& node) { return fmt::format("{}", fmt::join(node.path, ".")); }

const GraphFunction* Graph::find(const std::string& name) const {
  const auto found = std::ranges::find(functions, name, &GraphFunction::name);
  return found == functions.end() ? nullptr : &*found;
}

}  // namespace sunmao::view
