#include "frontend/onnx/node_order.h"

#include <functional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace sunmao::onnx {
namespace {

void collect_names(const Node& node, std::unordered_set<std::string_view>& used) {
  used.insert(node.inputs.begin(), node.inputs.end());
  for (const Attribute& a : node.attributes)
    for (const Graph& body : a.bodies) {
      for (const Node& inner : body.nodes) collect_names(inner, used);
      for (const ValueInfo& output : body.outputs) used.insert(output.name);
    }
}

}  // namespace

std::vector<size_t> data_flow_order(const std::vector<Node>& nodes) {
  std::unordered_map<std::string_view, size_t> producers;
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const std::string_view name : nodes[i].outputs)
      if (!name.empty()) producers.try_emplace(name, i);
  std::vector<std::vector<size_t>> users(nodes.size());
  std::vector<size_t> waits_for(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::unordered_set<std::string_view> used;
    collect_names(nodes[i], used);
    for (const std::string_view name : used)
      if (const auto producer = producers.find(name); producer != producers.end() && producer->second != i) {
        users[producer->second].push_back(i);
        ++waits_for[i];
      }
  }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (waits_for[i] == 0) ready.push(i);
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const size_t user : users[next])
      if (--waits_for[user] == 0) ready.push(user);
  }
  for (size_t i = 0; i < nodes.size(); ++i)
    if (waits_for[i] > 0) order.push_back(i);
  return order;
}

}  // namespace sunmao::onnx
