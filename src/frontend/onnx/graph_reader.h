// GraphReader: converts the nodes of a graph, in the order of their data flow. Bodies whose condition or count is known
// are read in place of their node, functions in place of their call; what a run decides becomes functions of the
// module.
#pragma once
#include <unordered_map>
#include <unordered_set>

#include "frontend/custom_converter.h"
#include "frontend/onnx/converters.h"
#include "frontend/onnx/scope.h"
#include "frontend/onnx/tensors.h"

namespace sunmao::onnx {

class GraphReader {
 public:
  GraphReader(ModelBuilder& builder, TensorLoader& loader, const ModelProto& model, const CustomConverters& custom,
              bool keep_initializers);

  void define(std::string_view name, Value value, const Span& span, Scope& scope);
  /// Takes the names of sizes that the graph states for its values.
  void note_sizes(const Graph& graph);
  void read_initializers(const Graph& graph, Scope& scope);
  /// `outputs` are the names of results that the model returns.
  void read_nodes(const std::vector<Node>& nodes, Scope& scope, const std::unordered_set<std::string_view>& outputs);
  /// True when nodes stood before others whose outputs they use.
  bool is_reordered() const { return is_reordered_; }
  /// Throws what was found.
  void check_findings() const { findings_.throw_if_any(); }

 private:
  using Names = std::unordered_set<std::string_view>;
  struct Place {
    const Span& span;
    const std::string& label;
  };

  void read_node(const Node& node, size_t index, Scope& scope, const Names& outputs);
  std::vector<Value> values_of(const Node& node, const Place& place, const Scope& scope);
  std::vector<Value> convert(const Node& node, const Place& place, const Scope& scope);
  std::vector<const Value*> inputs_of(const Node& node, const Span& span, const Scope& scope) const;
  Value initializer(const Tensor& t, const Span& span, bool is_kept);
  Value weight(Array data, std::string_view name, const Span& span);
  Value constant(const Node& node, const Span& span);
  std::vector<Expr> convert_by(const CustomConverter& converter, const Node& node, const NodeContext& n);

  const FunctionProto* find_function(const Node& node) const;
  std::vector<Value> call(const FunctionProto& function, const Node& node, const Place& place, const Scope& scope);

  // control_flow.cpp
  static bool is_control_flow(std::string_view op);
  std::vector<Value> read_control_flow(const Node& node, const Place& place, const Scope& scope);
  std::vector<Value> read_if(const NodeContext& n, const Place& place, const Scope& scope);
  std::vector<Value> read_loop(const NodeContext& n, const Place& place, const Scope& scope);
  /// Reads a loop once for each iteration; nullopt when a run decides how many there are.
  std::optional<std::vector<Value>> unrolled(const NodeContext& n, const Place& place, const Scope& scope);
  std::vector<Value> decided_loop(const NodeContext& n, const Place& place, const Scope& scope);
  std::vector<Value> read_scan(const NodeContext& n, const Place& place, const Scope& scope);
  std::vector<Value> read_body(const Graph& body, std::vector<Value> arguments, std::string path, const Scope& scope);

  /// Records the unsupported ops inside the bodies of a node that could not be read.
  void look_into_bodies(const Node& node, const std::string& label, const Scope& scope);
  bool is_read(const Node& node, const Scope& scope) const;
  void count_node(const Span& span);
  void hint_sizes(std::string_view value);
  std::string help_for_unsupported() const;

  ModelBuilder& builder_;
  TensorLoader& loader_;
  const ModelProto& model_;
  const CustomConverters& custom_;
  const bool keep_initializers_;
  FindingKind unsupported_;
  Findings findings_{nearest_form};
  std::unordered_map<std::string_view, const std::vector<Dim>*> sizes_;  // that graphs state for their values
  int depth_ = 0;
  int64_t nodes_read_ = 0;
  bool is_reordered_ = false;
};

}  // namespace sunmao::onnx
