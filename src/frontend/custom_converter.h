// CustomConverter: how a user reads an op, in place of the front end's own converter or where it has none.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/attrs.h"
#include "ir/expr.h"

namespace sunmao {

/// What a custom converter is given of a node. Tensors are inputs, in the node's order, null where one is omitted; for
/// PyTorch the fields of a list of tensors stand one by one. All else is an attribute by name; a tensor attribute of
/// ONNX is a constant.
struct CustomNode {
  std::string op;
  std::vector<Expr> inputs;
  AttrMap attributes;
  Span span;
};

/// Returns the node's outputs in order.
using CustomConverter = std::function<std::vector<Expr>(const CustomNode& node)>;
/// By op: "Conv", "my.domain::Op", "aten.add.Tensor", "mylib.foo.default".
using CustomConverters = std::map<std::string, CustomConverter, std::less<>>;

}  // namespace sunmao
