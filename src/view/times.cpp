#include "view/times.h"

#include <map>

namespace sunmao::view {
namespace {

/// Where the nodes of a graph are found.
struct Places {
  std::map<std::pair<std::string, size_t>, GraphNode*> by_call;         // function and number of the kernel call
  std::map<std::pair<std::string, std::string>, GraphNode*> by_origin;  // node of the file and module, the first one

  explicit Places(Graph& graph) {
    for (GraphFunction& f : graph.functions)
      for (GraphNode& n : f.nodes) {
        if (n.kind == NodeKind::Kernel) by_call.try_emplace({f.name, n.kernel_call}, &n);
        if (!n.place.empty()) by_origin.try_emplace({n.place, module_of(n)}, &n);
      }
  }

  GraphNode* find(const std::string& kernel, const io::JsonValue& place) const {
    const std::string function(place["function"].as_string().value_or(""));
    const auto call = by_call.find({function, static_cast<size_t>(place["call"].as_int().value_or(-1))});
    if (call != by_call.end() && call->second->op == kernel) return call->second;
    const std::string node(place["node"].as_string().value_or("")), module(place["module"].as_string().value_or(""));
    const auto origin = by_origin.find({node, module});
    return origin == by_origin.end() || node.empty() ? nullptr : origin->second;
  }
};

}  // namespace

double add_times(Graph& graph, const io::JsonValue& profile) {
  const Places places(graph);
  const double runs = std::max(profile["runs"].as_double().value_or(1), 1.0);
  double found = 0, all = 0;
  for (const io::JsonValue kernel : profile["kernels"].elements()) {
    const std::string name(kernel["name"].as_string().value_or(""));
    for (const io::JsonValue place : kernel["places"].elements()) {
      const double seconds = place["seconds"].as_double().value_or(0);
      all += seconds;
      GraphNode* node = places.find(name, place);
      if (!node) continue;
      found += seconds;
      node->seconds = node->seconds.value_or(0) + seconds / runs;
    }
  }
  return all > 0 ? found / all : 0;
}

}  // namespace sunmao::view
