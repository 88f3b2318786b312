// The reader of ONNX files: versions, inputs and outputs of the model; its nodes are read by GraphReader.
#include <algorithm>
#include <cctype>

#include "frontend/frontend.h"
#include "frontend/onnx/converters.h"
#include "frontend/onnx/graph_reader.h"
#include "frontend/op_functions.h"
#include "frontend/size_text.h"
#include "io/concat.h"
#include "sym/walk.h"

namespace sunmao {
namespace onnx {
namespace {

class Reader {
 public:
  Reader(const io::Bytes& file, const std::string& name, const std::string& folder, const OpTable& ops)
      : file_(file), name_(name), builder_(ops, name), loader_(file, folder) {}

  Model read(const ReadOptions& options) {
    const Span whole = builder_.span("");
    model_ = parse_model(file_.span(), whole);
    check_versions(whole);
    const Graph& graph = *model_.graph;
    if (graph.has_sparse_initializers) fail("E0608", whole, "the model has sparse initialisers", "store them dense");
    const CustomConverters custom = with_op_functions(options.custom, options.custom_ops, "onnx", builder_);
    GraphReader nodes(builder_, loader_, model_, custom, options.keep_initializers);
    builder_.name_sizes_of_data();
    if (options.keep_state) builder_.keep_random_state();
    if (options.upstream_form) builder_.take_upstream_form();
    nodes.note_sizes(graph);
    Scope scope(model_.opsets, "");
    if (options.upstream_form) note_dims(graph);
    read_inputs(graph, nodes, scope, options.upstream_form);
    builder_.assume(options.dims);
    nodes.read_initializers(graph, scope);
    std::unordered_set<std::string_view> outputs;  // those that `main` returns one by one
    if (options.returns != ReturnForm::Bound || graph.outputs.size() == 1)
      for (const ValueInfo& v : graph.outputs) outputs.insert(v.name);
    nodes.read_nodes(graph.nodes, scope, outputs);
    nodes.check_findings();
    if (options.notes && nodes.is_reordered())
      options.notes->push_back("nodes stand before others whose values they use: they are read in the order of these");
    if (options.files)
      for (const std::string& file : loader_.files()) options.files->push_back(file);
    std::vector<std::string> names;
    for (const ValueInfo& v : graph.outputs) names.emplace_back(v.name);
    return builder_.finish(results(graph, scope, whole), names, name_, options.notes, options.returns);
  }

  const std::vector<NodeAccount>& account() const { return builder_.account(); }

 private:
  void check_versions(const Span& whole) {
    if (!model_.graph) fail("E0603", whole, "the file has no graph", "it is damaged, or it is no ONNX model");
    const auto is_stated = [](const OpsetImport& o) {
      return (o.domain.empty() || o.domain == "ai.onnx") && o.version;
    };
    if (std::ranges::none_of(model_.opsets, is_stated))
      fail("E0603", whole, "the model does not say which opset it uses",
           "the file is cut short, or it is no ONNX model");
    const int64_t opset = Scope(model_.opsets, "").opset("");
    if (opset < kOldestOpset || opset > kNewestOpset)
      fail("E0602", whole, fmt::format("opset {} is not read: {} to {} are", opset, kOldestOpset, kNewestOpset),
           fmt::format("export again with opset_version={}, or use onnx.version_converter",
                       std::clamp(opset, kOldestOpset, kNewestOpset)));
  }

  /// Initializers among the inputs are read as weights: before IR version 4 every initializer is also listed as an
  /// input, in later versions an initializer is the default value of such an input.
  void read_inputs(const Graph& graph, GraphReader& nodes, Scope& scope, bool upstream_form) {
    std::unordered_set<std::string_view> initialised;
    for (const Tensor& t : graph.initializers) initialised.insert(t.name);
    for (const ValueInfo& v : graph.inputs)
      if (!initialised.contains(v.name)) read_input(v, nodes, scope, upstream_form);
  }

  void note_dims(const Graph& graph) {
    for (const ValueInfo& v : graph.inputs)
      for (const Dim& d : v.shape.value_or(std::vector<Dim>())) dims_.insert(std::string(d.param));
  }

  void read_input(const ValueInfo& v, GraphReader& nodes, Scope& scope, bool upstream_form) {
    Span span = builder_.span(fmt::format("input {}", io::quoted(v.name)));
    const DType dtype = dtype_of_element(v.data_type);
    if (!v.is_tensor || dtype.is_void())
      fail("E0608", span,
           v.is_tensor ? fmt::format("inputs of {} are not supported", name_of_element(v.data_type))
                       : "an input that is no tensor is not supported");
    Type type = TensorType::make_unknown(dtype);
    if (v.shape) {
      if (v.shape->size() > kMaxRank) fail("E0603", span, fmt::format("an input of rank {}", v.shape->size()));
      std::vector<Scalar> dims;
      for (const Dim& d : *v.shape) dims.push_back(dim(d, v.name, dims.size()));
      type = TensorType::make(std::move(dims), dtype);
    }
    const std::string name(v.name);
    const std::string variable = upstream_form ? builder_.fresh_input_name(name) : builder_.fresh_name(name);
    nodes.define(v.name, {builder_.add_input(name, variable, type, span), {}}, span, scope);
  }

  /// Reads a dimension: equal names are the same symbol; unknown and negative dimensions become symbols of their own. A
  /// name without a letter, such as "?" or "-1", stands for an unknown one.
  Scalar dim(const Dim& d, std::string_view input, size_t index) {
    const auto is_letter = [](unsigned char c) { return std::isalpha(c) || c >= 0x80; };
    if (Scalar term = term_of_dims(d.param)) return term;
    if (std::ranges::any_of(d.param, is_letter)) return builder_.symbol(std::string(d.param));
    if (d.value && *d.value >= 0) return int_imm(*d.value);
    return builder_.symbol(fmt::format("{}_dim{}", input, index));
  }

  /// Returns what a name such as `past + 1` computes of names in `dims_`; null for others.
  Scalar term_of_dims(std::string_view text) {
    const Scalar term = parse_size_term(text, {.symbol = [&](const std::string& name) -> Scalar {
                                                 return dims_.contains(name) ? builder_.symbol(name) : nullptr;
                                               },
                                               .slash_rounds_down = true});
    return term && !free_symbols(term).empty() ? term : nullptr;
  }

  static std::vector<Expr> results(const Graph& graph, const Scope& scope, const Span& whole) {
    std::vector<Expr> results;
    for (const ValueInfo& v : graph.outputs) {
      const Value* value = scope.find(v.name);
      if (!value) fail("E0607", whole, fmt::format("nothing defines the output {}", io::quoted(v.name)));
      if (!value->expr)
        fail("E0608", whole,
             fmt::format("the output {} cannot be read{}{}", io::quoted(v.name),
                         value->problem.empty() ? "" : ": it is ", value->problem));
      results.push_back(value->expr);
    }
    if (results.empty()) fail("E0603", whole, "the graph has no outputs");
    return results;
  }

  const io::Bytes& file_;
  const std::string& name_;
  ModelBuilder builder_;
  TensorLoader loader_;
  std::unordered_set<std::string> dims_;  // names of dimensions that others may be terms of
  ModelProto model_;
};

}  // namespace
}  // namespace onnx

Model read_onnx(const io::Bytes& file, const std::string& name, const std::string& folder, const OpTable& ops,
                const ReadOptions& options) {
  onnx::Reader reader(file, name, folder, ops);
  try {
    Model model = reader.read(options);
    if (options.nodes) *options.nodes = reader.account();
    return model;
  } catch (const UserError&) {
    if (options.nodes) *options.nodes = reader.account();
    throw;
  }
}

}  // namespace sunmao
