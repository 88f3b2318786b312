#include "view/graph.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace sunmao::view {

std::string module_of(const GraphNode& node) { return fmt::format("{}", fmt::join(node.path, ".")); }

const GraphFunction* Graph::find(const std::string& name) const {
  const auto found = std::ranges::find(functions, name, &GraphFunction::name);
  return found == functions.end() ? nullptr : &*found;
}

}  // namespace sunmao::view
