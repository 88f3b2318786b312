// The reader of ONNX files: converts inputs, initializers, nodes in order, and outputs to a module.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "frontend/frontend.h"
#include "frontend/onnx/node_context.h"
#include "frontend/onnx/tensors.h"
#include "io/concat.h"

namespace sunmao {
namespace onnx {
namespace {

constexpr int64_t kOldestOpset = 9, kNewestOpset = 23;

using Table = std::unordered_map<std::string_view, std::vector<Converter>>;

/// Converters by op, newest opset first.
const Table& converters() {
  static const Table table = [] {
    Table t;
    for (const auto& family :
         {matmul_converters(), elementwise_converters(), layout_converters(), reduce_converters(), shape_converters()})
      for (const Converter& c : family) t[c.op].push_back(c);
    for (auto& [op, versions] : t) std::ranges::sort(versions, std::greater(), &Converter::since);
    return t;
  }();
  return table;
}

bool is_of_onnx(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

const Converter* find_converter(const Node& node, int64_t opset) {
  if (!is_of_onnx(node.domain)) return nullptr;
  auto it = converters().find(node.op);
  if (it == converters().end()) return nullptr;
  for (const Converter& c : it->second)
    if (c.since <= opset) return &c;
  return nullptr;
}

class Reader {
 public:
  Reader(const io::Bytes& file, const std::string& name, const std::string& folder, const OpTable& ops)
      : file_(file), name_(name), builder_(ops, name), loader_(file, folder) {}

  Model read(const ReadOptions& options) {
    const Span whole = builder_.span("");
    model_ = parse_model(file_.span(), whole);
    check_versions(whole);
    unsupported_.help = help_for(model_, opset_);
    const Graph& graph = *model_.graph;
    if (graph.has_sparse_initializers) fail("E0608", whole, "the model has sparse initialisers", "store them dense");
    read_inputs(graph);
    for (const Tensor& t : graph.initializers) read_initializer(t);
    for (const ValueInfo& v : graph.outputs) outputs_.insert(v.name);
    for (size_t i = 0; i < graph.nodes.size(); ++i) read_node(graph.nodes[i], i);
    findings_.throw_if_any();
    if (options.files)
      for (const std::string& file : loader_.files()) options.files->push_back(file);
    std::vector<std::string> names;
    for (const ValueInfo& v : graph.outputs) names.emplace_back(v.name);
    return builder_.finish(results(graph, whole), names, name_, options.notes);
  }

 private:
  void check_versions(const Span& whole) {
    if (!model_.graph) fail("E0603", whole, "the file has no graph", "it is damaged, or it is no ONNX model");
    for (const OpsetImport& o : model_.opsets)
      if (is_of_onnx(o.domain)) opset_ = o.version;
    if (opset_ == 0)
      fail("E0603", whole, "the model does not say which opset it uses",
           "the file is cut short, or it is no ONNX model");
    if (opset_ < kOldestOpset || opset_ > kNewestOpset)
      fail("E0602", whole, fmt::format("opset {} is not read: {} to {} are", opset_, kOldestOpset, kNewestOpset),
           fmt::format("export again with opset_version={}, or use onnx.version_converter",
                       std::clamp(opset_, kOldestOpset, kNewestOpset)));
  }

  void define(std::string_view name, Value value, const Span& span) {
    if (!values_.try_emplace(name, std::move(value)).second)
      fail("E0607", span, fmt::format("{} is defined twice", io::quoted(name)), "names of a graph's values are unique");
  }

  /// Initializers among the inputs are read as weights: before IR version 4 every initializer is also listed as an
  /// input, in later versions an initializer is the default value of such an input.
  void read_inputs(const Graph& graph) {
    std::unordered_set<std::string_view> initialised;
    for (const Tensor& t : graph.initializers) initialised.insert(t.name);
    for (const ValueInfo& v : graph.inputs)
      if (!initialised.contains(v.name)) read_input(v);
  }

  void read_input(const ValueInfo& v) {
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
    Expr var = builder_.add_input(std::string(v.name), type, span);
    define(v.name, of_expr(var), span);
  }

  /// Reads a dimension: equal names are the same symbol; unknown and negative dimensions become symbols of their own.
  Scalar dim(const Dim& d, std::string_view input, size_t index) {
    if (!d.param.empty()) return builder_.symbol(std::string(d.param));
    if (d.value && *d.value >= 0) return int_imm(*d.value);
    return builder_.symbol(fmt::format("{}_dim{}", input, index));
  }

  Value value_of(const Tensor& t, std::string_view name, const Span& span) {
    Value value;
    if (dtype_of_element(t.data_type).is_void()) {
      value.problem = "of a tensor of " + name_of_element(t.data_type);
      return value;
    }
    value.constant = loader_.load(t, span);
    value.expr = builder_.add_weight(std::string(name), *value.constant, span);
    return value;
  }

  void read_initializer(const Tensor& t) {
    Span span = builder_.span(fmt::format("initializer {}", io::quoted(t.name)));
    if (t.name.empty()) fail("E0603", span, "an initialiser has no name");
    define(t.name, value_of(t, t.name, span), span);
  }

  /// A Constant node is a weight named after its output; numbers and lists have attributes of their own.
  Value constant(const Node& node, const Span& span) {
    NodeContext context(builder_, node, opset_, span, {});
    if (const Tensor* t = context.tensor_attr("value")) return value_of(*t, node.outputs[0], span);
    Value value;
    if (const Attribute* a = node.find("value_int")) value.constant = Array::from_ints({}, std::vector{a->i});
    if (const Attribute* a = node.find("value_ints"))
      value.constant = Array::from_ints({static_cast<int64_t>(a->ints.size())}, a->ints);
    if (const Attribute* a = node.find("value_float")) value.constant = Array::from_floats({}, std::vector{a->f});
    if (const Attribute* a = node.find("value_floats"))
      value.constant = Array::from_floats({static_cast<int64_t>(a->floats.size())}, a->floats);
    if (!value.constant) throw UnsupportedUse{"without numbers"};
    value.expr = builder_.add_weight(std::string(node.outputs[0]), *value.constant, span);
    return value;
  }

  std::vector<const Value*> inputs_of(const Node& node, const Span& span) {
    std::vector<const Value*> inputs;
    for (std::string_view name : node.inputs) {
      if (name.empty()) {
        inputs.push_back(nullptr);
        continue;
      }
      auto it = values_.find(name);
      if (it == values_.end())
        fail("E0607", span, fmt::format("{} is used before anything defines it", io::quoted(name)),
             "nodes must stand in the order of their data flow");
      inputs.push_back(&it->second);
    }
    return inputs;
  }

  static std::string label_of(const Node& node, size_t index) {
    return node.name.empty() ? fmt::format("node {} ({})", index, io::quoted(node.op))
                             : fmt::format("node {}", io::quoted(node.name));
  }

  static std::string op_of(const Node& node) {
    return is_of_onnx(node.domain) ? std::string(node.op) : fmt::format("{}::{}", node.domain, node.op);
  }

  void read_node(const Node& node, size_t index) {
    const std::string label = label_of(node, index);
    const Span span = builder_.span(label);
    if (node.outputs.empty() || node.outputs[0].empty())
      fail("E0603", span, fmt::format("{} has no output", io::quoted(node.op)));
    Value result;
    Value further;
    if (findings_.run(&unsupported_, op_of(node), span, [&] { result = convert(node, span); }) &&
        result.unread == Unread::No)
      further.problem = "of a further output of " + io::quoted(node.op);
    else
      result.unread = further.unread = unread_result(node);
    define(node.outputs[0], std::move(result), span);
    for (size_t i = 1; i < node.outputs.size(); ++i)
      if (!node.outputs[i].empty()) define(node.outputs[i], further, span);
    look_into_bodies(node, label);
  }

  /// Records the unsupported ops inside branches and loops, with the path of their body.
  void look_into_bodies(const Node& node, const std::string& label) {
    for (const Attribute& a : node.attributes)
      for (const Graph& body : a.bodies)
        for (size_t i = 0; i < body.nodes.size(); ++i) {
          const Node& inner = body.nodes[i];
          const std::string path = fmt::format("{}, {}, {}", label, io::quoted(a.name), label_of(inner, i));
          if (!is_read(inner)) findings_.add_op(&unsupported_, op_of(inner), builder_.span(path));
          look_into_bodies(inner, path);
        }
  }

  /// True for Constant, and for an op that has a converter whose needed ops are in the op table.
  bool is_read(const Node& node) const {
    if (node.op == "Constant" && is_of_onnx(node.domain)) return true;
    const Converter* converter = find_converter(node, opset_);
    return converter &&
           std::ranges::all_of(converter->needs, [this](const char* op) { return builder_.ops().find(op) != nullptr; });
  }

  /// Returns what is known about an unread node's result, from its inputs.
  Unread unread_result(const Node& node) const {
    const auto may_be_shape = [this](std::string_view name) {
      const auto it = values_.find(name);
      if (it == values_.end()) return name.empty();
      const Value& v = it->second;
      return v.shape || v.unread == Unread::MaybeShape || (v.constant && v.constant->dtype().is_int());
    };
    const bool is_shape = node.op == "Shape" || node.op == "Size" || std::ranges::all_of(node.inputs, may_be_shape);
    return is_shape ? Unread::MaybeShape : Unread::Data;
  }

  Value convert(const Node& node, const Span& span) {
    if (!is_read(node)) throw UnsupportedUse{};
    const Converter* converter = find_converter(node, opset_);
    if (!converter) return constant(node, span);
    Value value;
    try {
      value = converter->convert(NodeContext(builder_, node, opset_, span, inputs_of(node, span)));
    } catch (const NeedsUnread&) {
      value.unread = unread_result(node);
    }
    if (value.expr) {
      const bool is_output = outputs_.contains(node.outputs[0]);
      value.expr = builder_.bind(value.expr, std::string(node.outputs[0]), is_output ? Place::Output : Place::Inside);
    }
    return value;
  }

  std::vector<Expr> results(const Graph& graph, const Span& whole) {
    std::vector<Expr> results;
    for (const ValueInfo& v : graph.outputs) {
      auto it = values_.find(v.name);
      if (it == values_.end()) fail("E0607", whole, fmt::format("nothing defines the output {}", io::quoted(v.name)));
      if (!it->second.expr)
        fail("E0608", whole,
             fmt::format("the output {} is a shape and no tensor, which is not supported", io::quoted(v.name)));
      results.push_back(it->second.expr);
    }
    if (results.empty()) fail("E0603", whole, "the graph has no outputs");
    return results;
  }

  /// Returns the help for unsupported ops. PyTorch's older exporter writes opsets up to 17 by default, the newer one 18
  /// and higher, so files of the newer one get no advice to use it.
  static std::string help_for(const ModelProto& model, int64_t opset) {
    constexpr int64_t kFirstOfNewExporter = 18;
    const std::string replace = "replace these layers; docs/frontends.md lists what is read";
    if (model.producer != "pytorch" || opset >= kFirstOfNewExporter) return replace;
    return "export with the newer exporter (torch.onnx.export(..., dynamo=True)), or " + replace;
  }

  FindingKind unsupported_{"E0604", "of this model cannot be read from ONNX", {}};

  const io::Bytes& file_;
  const std::string& name_;
  ModelBuilder builder_;
  TensorLoader loader_;
  ModelProto model_;
  int64_t opset_ = 0;
  std::unordered_map<std::string_view, Value> values_;
  std::unordered_set<std::string_view> outputs_;
  Findings findings_;
};

}  // namespace
}  // namespace onnx

Model read_onnx(const io::Bytes& file, const std::string& name, const std::string& folder, const OpTable& ops,
                const ReadOptions& options) {
  return onnx::Reader(file, name, folder, ops).read(options);
}

}  // namespace sunmao
