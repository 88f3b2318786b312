// What a converter of one ATen node works with: its arguments by their schema names with the schema's defaults, and the
// builder. It knows no ops.
#pragma once
#include <functional>

#include "frontend/findings.h"
#include "frontend/model_builder.h"
#include "io/json.h"

namespace sunmao::torch {

/// A number as Python passes it.
struct Number {
  double value;
  bool is_integer;
};

class NodeContext {
 public:
  using Tensors = std::unordered_map<std::string_view, Expr>;
  /// `tensors` are the graph's values by name; `defaults` the schema's; both outlive the context.
  NodeContext(ModelBuilder& b, io::JsonValue node, Span s, const Tensors& tensors, const AttrMap& defaults,
              const std::function<Scalar(std::string_view)>& symbolic_int);

  ModelBuilder& builder;
  const Span span;

  /// Whether the argument is given and not None.
  bool has(std::string_view name) const;
  bool has_tensor(std::string_view name) const { return argument(name)["as_tensor"].exists(); }
  Expr tensor(std::string_view name) const;
  /// The dimensions of a tensor; an unsupported use when they are not known.
  const std::vector<Scalar>& dims(const Expr& x) const;
  int64_t integer(const std::string& name) const;
  bool boolean(const std::string& name) const;
  Number number(const std::string& name) const;
  /// Known integers; nullopt when None or omitted.
  std::optional<std::vector<int64_t>> integers(std::string_view name) const;
  /// Sizes, symbolic where they are.
  std::vector<Scalar> sizes(std::string_view name) const;
  /// The ScalarType that an argument names; nullopt when None or omitted.
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

/// The result, not bound yet.
using Convert = Expr (*)(const NodeContext&);

/// How one overload is read.
struct Converter {
  const char* target;  // "aten.add.Tensor"
  Convert convert;
  std::vector<const char*> needs;  // ops of the table that it calls
  AttrMap defaults = {};           // of arguments that the exporter leaves out
};

// One family a file.
std::vector<Converter> matmul_converters();
std::vector<Converter> elementwise_converters();
std::vector<Converter> layout_converters();
std::vector<Converter> reduce_converters();
std::vector<Converter> copy_converters();

}  // namespace sunmao::torch
