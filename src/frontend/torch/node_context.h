// NodeContext: the interface of the converters of ATen nodes: arguments by schema name, with the schema's defaults, and
// the builder. Independent of ops.
#pragma once
#include <functional>

#include "frontend/findings.h"
#include "frontend/model_builder.h"
#include "io/json.h"

namespace sunmao::torch {

/// A number as given in Python.
struct Number {
  double value;
  bool is_integer;
};

class NodeContext {
 public:
  using Tensors = std::unordered_map<std::string_view, Expr>;
  /// `tensors` are the graph's values by name, `defaults` the schema's default arguments; both must outlive the
  /// context.
  NodeContext(ModelBuilder& b, io::JsonValue node, Span s, const Tensors& tensors, const AttrMap& defaults,
              const std::function<Scalar(std::string_view)>& symbolic_int);

  ModelBuilder& builder;
  const Span span;

  /// True when the argument is given and not None.
  bool has(std::string_view name) const;
  bool has_tensor(std::string_view name) const { return argument(name)["as_tensor"].exists(); }
  Expr tensor(std::string_view name) const;
  /// Returns the dimensions of a tensor; throws UnsupportedUse when they are unknown.
  const std::vector<Scalar>& dims(const Expr& x) const;
  int64_t integer(const std::string& name) const;
  bool boolean(const std::string& name) const;
  Number number(const std::string& name) const;
  /// Returns constant integers; nullopt when None or omitted.
  std::optional<std::vector<int64_t>> integers(std::string_view name) const;
  /// Returns sizes, which may be symbolic.
  std::vector<Scalar> sizes(std::string_view name) const;
  /// Returns a ScalarType argument; nullopt when None or omitted.
  std::optional<int64_t> scalar_type(std::string_view name) const;

  Expr call(std::string_view op, std::vector<Expr> args, AttrMap attrs = {}) const {
    return builder.call(op, std::move(args), std::move(attrs), span);
  }
  [[noreturn]] void malformed(std::string_view argument) const;

 private:
  io::JsonValue argument(std::string_view name) const;
  const AttrValue& default_of(const std::string& name) const;
  Scalar size(io::JsonValue element, std::string_view name) const;

  io::JsonValue inputs_;
  const Tensors& tensors_;
  const AttrMap& defaults_;
  const std::function<Scalar(std::string_view)>& symbolic_int_;
};

/// A converter; returns the result of the node, which is not yet bound.
using Convert = Expr (*)(const NodeContext&);

/// A table entry: the function that converts nodes of one op overload.
struct Converter {
  const char* target;  // "aten.add.Tensor"
  Convert convert;
  std::vector<const char*> needs;  // ops that the converter calls; they must be in the op table
  AttrMap defaults = {};           // default values of arguments that the exporter omits
};

// The converters by op family, each in a file of its own.
std::vector<Converter> matmul_converters();
std::vector<Converter> elementwise_converters();
std::vector<Converter> layout_converters();
std::vector<Converter> reduce_converters();
std::vector<Converter> copy_converters();

}  // namespace sunmao::torch
