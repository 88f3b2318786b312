// What the readers of If, Loop and Scan share: the body of a node, its values as expressions, conditions.
#pragma once
#include "frontend/onnx/node_context.h"
#include "io/concat.h"

namespace sunmao::onnx {

/// Bodies of at most as many iterations are read in place of their node.
inline constexpr int64_t kMaxIterations = 4096;

inline const Graph& body_of(const NodeContext& n, std::string_view attribute) {
  const Attribute* a = n.node.find(attribute);
  if (!a || a->bodies.size() != 1) n.fail(fmt::format("the attribute {} is no graph", io::quoted(attribute)));
  return a->bodies[0];
}

inline std::string path_of(std::string_view label, std::string_view attribute) {
  return fmt::format("{}, {}, ", label, io::quoted(attribute));
}

/// Returns the truth of a condition; nullopt when it depends on data.
inline std::optional<bool> truth_of(ModelBuilder& builder, const Expr& condition) {
  const std::optional<SymbolicTensor> known = builder.elements(condition);
  if (!known || known->elements.size() != 1) return std::nullopt;
  const int64_t* value = find_int(known->elements[0]);
  return value ? std::optional(*value != 0) : std::nullopt;
}

/// Returns a condition as 1 or 0 in terms of sizes; null when it depends on data.
inline Scalar condition_on_sizes(ModelBuilder& builder, const Expr& condition) {
  const std::optional<SymbolicTensor> known = builder.elements(condition);
  return known && known->elements.size() == 1 ? known->elements[0] : Scalar();
}

inline Expr expr_of(const Value& value) {
  if (!value.problem.empty()) throw UnsupportedUse{value.problem};
  if (!value.expr) throw NeedsUnread{};
  return value.expr;
}

inline std::vector<Expr> exprs_of(const std::vector<Value>& values) {
  std::vector<Expr> out;
  for (const Value& v : values) out.push_back(expr_of(v));
  return out;
}

inline std::vector<Value> tensors_of(const std::vector<Expr>& exprs) {
  std::vector<Value> out;
  for (const Expr& e : exprs) out.push_back({e, {}});
  return out;
}

/// Stacks what each iteration gives along a new axis.
inline Value stacked(const NodeContext& n, const std::vector<Value>& parts, int64_t axis) {
  return {n.call("stack", {Tuple::make(exprs_of(parts), n.span)}, {{"axis", axis}}), {}};
}

}  // namespace sunmao::onnx
