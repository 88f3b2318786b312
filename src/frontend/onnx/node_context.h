// NodeContext: the interface of the converters of ONNX nodes: inputs as expressions, constants or shape values,
// attributes, and the builder. Independent of ops.
#pragma once
#include <functional>

#include "frontend/findings.h"
#include "frontend/model_builder.h"
#include "frontend/onnx/proto.h"

namespace sunmao::onnx {

/// A small integer tensor with symbolic elements known during reading: the result of `Shape` and computations on it.
struct ShapeValue {
  std::vector<Scalar> elements;
  bool is_list = true;  // true: rank 1; false: rank 0 with one element
  DType dtype = DType::int_(64);
};

/// What is known about a value whose node could not be read.
enum class Unread {
  No,          // the node was read
  Data,        // not a shape value
  MaybeShape,  // possibly a shape value: computed only from shapes
};

/// Thrown when a converter needs an unread value; the error of the unread node is already recorded.
struct NeedsUnread {};

/// The value of a name in the graph.
struct Value {
  Expr expr;                        // null when `shape` or `problem` describes the value
  std::optional<Array> constant;    // the data, if it is in the file
  std::optional<ShapeValue> shape;  // computed during reading
  std::string problem;              // why the value cannot be read; reported when something uses it
  Unread unread = Unread::No;
};

class NodeContext {
 public:
  NodeContext(ModelBuilder& b, const Node& n, int64_t version, Span s, std::vector<const Value*> inputs)
      : builder(b), node(n), opset(version), span(std::move(s)), inputs_(std::move(inputs)) {}

  ModelBuilder& builder;
  const Node& node;
  const int64_t opset;
  const Span span;

  bool has_input(size_t i) const { return i < inputs_.size() && inputs_[i]; }
  /// Returns input `i` as a tensor; fails (E0609) when it is missing.
  Expr tensor(size_t i) const;
  /// Returns the dimensions of input `i`; throws UnsupportedUse when they are unknown.
  const std::vector<Scalar>& dims(size_t i) const;
  bool is_shape(size_t i) const { return has_input(i) && shape_value(i).has_value(); }
  bool is_computed_shape(size_t i) const { return has_input(i) && inputs_[i]->shape.has_value(); }
  /// Returns input `i` as a shape value: a computed one, or a small integer constant.
  std::optional<ShapeValue> shape_value(size_t i) const;
  /// Like `shape_value`, but throws UnsupportedUse when the input is no shape value.
  ShapeValue get_shape(size_t i) const;
  /// Returns input `i` as a list of constant integers; throws UnsupportedUse when it is computed or symbolic.
  std::vector<int64_t> constant_ints(size_t i, const char* what) const;

  int64_t int_attr(std::string_view name, int64_t otherwise) const;
  float float_attr(std::string_view name, float otherwise) const;
  std::optional<std::vector<int64_t>> ints_attr(std::string_view name) const;
  const Tensor* tensor_attr(std::string_view name) const;

  Expr call(std::string_view op, std::vector<Expr> args, AttrMap attrs = {}) const {
    return builder.call(op, std::move(args), std::move(attrs), span);
  }
  [[noreturn]] void fail(const std::string& message, const std::string& help = {}) const;

 private:
  const Value& input(size_t i) const;
  std::vector<const Value*> inputs_;
};

using Convert = Value (*)(const NodeContext&);

/// A table entry: the function that converts nodes of one op in models of opset `since` or later.
struct Converter {
  const char* op;
  int64_t since;
  Convert convert;
  std::vector<const char*> needs;  // ops that the converter calls; they must be in the op table
};

inline Value of_expr(Expr e) { return Value{.expr = std::move(e), .constant = {}, .shape = {}, .problem = {}}; }
inline Value of_shape(ShapeValue s) { return Value{.expr = {}, .constant = {}, .shape = std::move(s), .problem = {}}; }

// The converters by op family, each in a file of its own.
std::vector<Converter> matmul_converters();
std::vector<Converter> elementwise_converters();
std::vector<Converter> layout_converters();
std::vector<Converter> reduce_converters();
std::vector<Converter> shape_converters();

}  // namespace sunmao::onnx
