// What a converter of one ONNX node works with: its inputs as expressions, constants or shape values, its attributes,
// and the builder. It knows no ops.
#pragma once
#include <functional>

#include "frontend/findings.h"
#include "frontend/model_builder.h"
#include "frontend/onnx/proto.h"

namespace sunmao::onnx {

/// A small integer tensor whose elements are known while reading, symbolically: the stuff of `Shape` and what follows.
struct ShapeValue {
  std::vector<Scalar> elements;
  bool is_list = true;  // rank 1; otherwise rank 0 with one element
  DType dtype = DType::int_(64);
};

/// What may be known of a value although the node that gives it could not be read.
enum class Unread {
  No,          // it was read
  Data,        // it is no shape value
  MaybeShape,  // it may be one: it is computed from shapes alone
};

/// Thrown when a converter needs more of an unread value than `Unread` says. The node before it is reported already.
struct NeedsUnread {};

/// What a name of the graph stands for.
struct Value {
  Expr expr;                        // null when one of the others says it all
  std::optional<Array> constant;    // its data, where the file has it
  std::optional<ShapeValue> shape;  // computed while reading
  std::string problem;              // why there is neither; told when something uses it
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
  /// Input `i` as a tensor; E0609 when the node lacks it.
  Expr tensor(size_t i) const;
  /// The dimensions of input `i`; an unsupported use when they are not known.
  const std::vector<Scalar>& dims(size_t i) const;
  bool is_shape(size_t i) const { return has_input(i) && shape_value(i).has_value(); }
  bool is_computed_shape(size_t i) const { return has_input(i) && inputs_[i]->shape.has_value(); }
  /// Input `i` as a shape value: a computed one, or a small integer constant.
  std::optional<ShapeValue> shape_value(size_t i) const;
  /// The same where nothing else will do.
  ShapeValue get_shape(size_t i) const;
  /// Input `i` as a list of known integers.
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

/// How one op is read from the opset `since` on.
struct Converter {
  const char* op;
  int64_t since;
  Convert convert;
  std::vector<const char*> needs;  // ops of the table that it calls
};

inline Value of_expr(Expr e) { return Value{.expr = std::move(e), .constant = {}, .shape = {}, .problem = {}}; }
inline Value of_shape(ShapeValue s) { return Value{.expr = {}, .constant = {}, .shape = std::move(s), .problem = {}}; }

// One family a file.
std::vector<Converter> matmul_converters();
std::vector<Converter> elementwise_converters();
std::vector<Converter> layout_converters();
std::vector<Converter> reduce_converters();
std::vector<Converter> shape_converters();

}  // namespace sunmao::onnx
