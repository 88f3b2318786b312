// GraphReader: converts the nodes of a program's graph, in their order. Writes in place become new values of all
// tensors that share the memory; subgraphs of wrappers (no_grad, autocast) are read in place of their node.
#pragma once
#include <deque>
#include <unordered_set>

#include "frontend/custom_converter.h"
#include "frontend/torch/alias_map.h"
#include "frontend/torch/converters.h"
#include "frontend/torch/data_symbols.h"

namespace sunmao::torch {

class GraphReader;

/// What a map or a scan runs for each row of tensors.
struct RowsOfBody {
  io::JsonValue graph;
  std::vector<AliasMap::Id> carried, rows, rest;  // `carried` of a scan alone
};

/// The names of one graph: the program's, or a subgraph's.
class GraphScope final : public Scope {
 public:
  GraphScope(GraphReader& reader, io::JsonValue graph) : graph_(graph), reader_(reader) {}

  io::JsonValue graph() const { return graph_; }
  Expr tensor(std::string_view name, const Span& span) override;
  Scalar symbolic_int(std::string_view name, const Span& span) override;
  bool is_size(std::string_view name, const Span& span) override;
  Expr number(std::string_view name, const Span& span) override;
  Expr once(const Expr& operand, const std::function<Expr()>& make) override;
  io::JsonValue described(std::string_view name) const override { return graph_["tensor_values"][name]; }
  /// Returns the number of a tensor; fails (E0704) when nothing defines it.
  AliasMap::Id id(std::string_view name, const Span& span) const;
  bool has(std::string_view name) const { return ids_.contains(name); }
  /// Fails (E0704) when the name is defined already.
  void define(std::string_view name, AliasMap::Id id, const Span& span);

 private:
  io::JsonValue graph_;
  GraphReader& reader_;
  std::unordered_map<std::string_view, AliasMap::Id> ids_;
};

class GraphReader {
 public:
  GraphReader(ModelBuilder& builder, const Span& whole, const CustomConverters& custom)
      : builder_(builder), whole_(whole), custom_(custom), data_(builder) {}

  ModelBuilder& builder() { return builder_; }
  AliasMap& tensors() { return tensors_; }
  DataSymbols& data() { return data_; }
  GraphScope& open_scope(io::JsonValue graph) { return scopes_.emplace_back(*this, graph); }
  /// `outputs` are the names of results that the program returns.
  void read_nodes(GraphScope& scope, const std::unordered_set<std::string_view>& outputs);
  /// Throws what was found.
  void check_findings() const { findings_.throw_if_any(); }

 private:
  using Names = std::unordered_set<std::string_view>;
  /// One value that a node gives: its name, empty for None.
  struct Output {
    std::string_view name;
    Type recorded;
  };

  static const FindingKind* unsupported();
  void read_node(io::JsonValue node, GraphScope& scope, const Names& outputs);
  std::vector<Output> outputs_of(io::JsonValue node, GraphScope& scope, const Span& span);
  /// `custom` goes before `converter`; one of them may be null.
  void convert(const Converter* converter, const CustomConverter* custom, io::JsonValue node,
               const std::vector<Output>& outputs, GraphScope& scope, const Names& results, const Span& span);
  /// Defines output `index` of a node; `whole` names the tensor that it may share memory with.
  void define(const Output& output, size_t index, Expr value, const Converter* converter, std::string_view whole,
              const NodeContext& n, GraphScope& scope);
  void define_unread(const std::vector<Output>& outputs, GraphScope& scope, const Span& span);
  void read_wrapper(io::JsonValue node, std::string_view target, const std::vector<Output>& outputs, GraphScope& scope,
                    const Span& span);
  void read_rows(io::JsonValue node, std::string_view target, const std::vector<Output>& outputs, GraphScope& scope,
                 const Span& span);
  std::vector<Expr> unrolled(RowsOfBody body, int64_t rows, const Span& span);
  std::vector<Expr> looped(const RowsOfBody& body, const Scalar& count, const std::vector<Output>& outputs,
                           const Span& span);
  std::vector<Expr> row_of_body(const RowsOfBody& body, const std::vector<Expr>& own, const Expr& begin,
                                const Span& span);
  Expr written_rows(const Expr& whole, const Expr& places, const Expr& rows, const Span& span);
  Expr empty_rows(const Type& stated, const Scalar& rows, const Span& span);
  /// Reads an `item()`; returns false for other nodes.
  bool read_number(io::JsonValue node, std::string_view target, const std::string& label, GraphScope& scope);
  /// Reads an assertion about numbers that data decides; returns false where there is nothing to check.
  bool read_assertion(io::JsonValue node, std::string_view target, const std::string& label, GraphScope& scope);
  /// Reads a branch or a loop that a run decides.
  void read_cond(io::JsonValue node, const std::vector<Output>& outputs, GraphScope& scope, const Span& span);
  void read_while(io::JsonValue node, const std::vector<Output>& outputs, GraphScope& scope, const Span& span);
  void define_all(const std::vector<Output>& outputs, const std::vector<Expr>& values, GraphScope& scope,
                  const Span& span);
  void bind_all(const std::vector<std::vector<AliasMap::Id>>& lists);
  /// Returns the values of tensors; throws what keeps one from being read.
  std::vector<Expr> values_of(const std::vector<AliasMap::Id>& ids);
  /// Reads the nodes of a subgraph with these tensors as its inputs and returns its results.
  std::vector<AliasMap::Id> inlined(io::JsonValue graph, const std::vector<AliasMap::Id>& arguments, const Span& span);
  /// Likewise where a body is kept or read several times, so that nothing else knows the sizes that it defines.
  std::vector<AliasMap::Id> inlined_body(io::JsonValue graph, const std::vector<AliasMap::Id>& arguments,
                                         const Span& span);
  /// True for a node that is given complex numbers, or gives some.
  static bool has_complex(io::JsonValue node, const std::vector<Output>& outputs, const GraphScope& scope);
  /// Checks the value of an output and binds it to its name.
  Expr bound(Expr value, const Output& output, Place place, const Span& span);
  void check_result(const Expr& value, const Type& recorded, const Span& span);

  ModelBuilder& builder_;
  Span whole_;
  const CustomConverters& custom_;
  AliasMap tensors_;
  DataSymbols data_;
  std::deque<GraphScope> scopes_;
  Findings findings_{nearest_form};
  int depth_ = 0;
  size_t unrolled_ = 0;  // nodes that were read in bodies of maps and scans
};

/// Returns text that must be there; fails (E0704).
std::string_view required_text(io::JsonValue value, const char* what, const Span& span);

}  // namespace sunmao::torch
