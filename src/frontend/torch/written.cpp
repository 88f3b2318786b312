#include "frontend/torch/written.h"

#include <unordered_map>
#include <vector>

namespace sunmao::torch {
namespace {

using TensorNames = std::vector<std::string_view>;

/// Adds the names in an argument or a result: a tensor, or a list of them.
void add_names(io::JsonValue value, TensorNames& out) {
  if (auto name = value["as_tensor"]["name"].as_string()) out.push_back(*name);
  for (io::JsonValue part : value["as_tensors"].elements())
    if (auto name = part["name"].as_string()) out.push_back(*name);
}

/// Returns the tensors whose memory a node may write or give.
TensorNames shared_by(io::JsonValue node) {
  if (!subgraph_of(node).exists()) return {first_tensor(node)};
  TensorNames out;
  for (io::JsonValue input : node["inputs"].elements()) add_names(input["arg"], out);
  return out;
}

/// True for an in-place op, and for a node with one in its subgraphs.
bool writes(io::JsonValue node) {
  if (works_in_place(target_name(node))) return true;
  for (io::JsonValue inner : subgraph_of(node)["nodes"].elements())
    if (writes(inner)) return true;
  return false;
}

}  // namespace

std::string_view target_name(io::JsonValue node) {
  constexpr std::string_view kNamespace = "torch.ops.";
  std::string_view target = node["target"].as_string().value_or("");
  if (target.starts_with(kNamespace)) target.remove_prefix(kNamespace.size());
  return target;
}

bool works_in_place(std::string_view target) {
  const size_t begin = target.find('.') + 1;
  const std::string_view name = target.substr(begin, target.find('.', begin) - begin);
  return name.ends_with('_') && !name.ends_with("__");
}

std::string_view first_tensor(io::JsonValue node) {
  for (io::JsonValue input : node["inputs"].elements())
    if (auto name = input["arg"]["as_tensor"]["name"].as_string()) return *name;
  return {};
}

io::JsonValue subgraph_of(io::JsonValue node) {
  for (io::JsonValue input : node["inputs"].elements())
    if (io::JsonValue graph = input["arg"]["as_graph"]["graph"]; graph.exists()) return graph;
  return {};
}

std::unordered_set<std::string_view> maybe_written(io::JsonValue graph) {
  std::unordered_map<std::string_view, TensorNames> sources;
  std::unordered_set<std::string_view> out;
  for (io::JsonValue node : graph["nodes"].elements()) {
    TensorNames given, left = shared_by(node);
    for (io::JsonValue output : node["outputs"].elements()) add_names(output, given);
    for (std::string_view name : given) sources.emplace(name, left);
    if (!writes(node)) continue;
    while (!left.empty()) {
      const std::string_view name = left.back();
      left.pop_back();
      if (name.empty() || !out.insert(name).second) continue;
      if (auto it = sources.find(name); it != sources.end())
        left.insert(left.end(), it->second.begin(), it->second.end());
    }
  }
  return out;
}

}  // namespace sunmao::torch
