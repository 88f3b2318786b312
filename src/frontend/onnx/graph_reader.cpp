#include "frontend/onnx/graph_reader.h"

#include <algorithm>
#include <stdexcept>

#include "frontend/onnx/converters.h"
#include "frontend/onnx/node_order.h"
#include "io/concat.h"
#include "ir/walk.h"

namespace sunmao::onnx {
namespace {

constexpr int kMaxDepth = 64;               // of functions and bodies inside each other
constexpr int64_t kMaxNodesRead = 100'000;  // of functions and bodies, each time they are read
constexpr size_t kMaxPath = 200;            // characters of a place that names functions and bodies

std::string label_of(const Node& node, size_t index) {
  return node.name.empty() ? fmt::format("node {} ({})", index, io::quoted(node.op))
                           : fmt::format("node {}", io::quoted(node.name));
}

/// Returns the end of a path that is long.
std::string shortened(const std::string& path) {
  return path.size() <= kMaxPath ? path : "…" + path.substr(path.size() - kMaxPath);
}

/// Returns the value of an attribute that is no tensor and no graph.
AttrValue attribute_value(const Attribute& a) {
  enum { Float = 1, Int = 2, String = 3, Floats = 6, Ints = 7, Strings = 8 };
  switch (a.type) {
    case Float: return static_cast<double>(a.f);
    case Int: return a.i;
    case String: return std::string(a.s);
    case Floats: {
      AttrList list;
      for (float f : a.floats) list.emplace_back(static_cast<double>(f));
      return list;
    }
    case Ints: return AttrValue::ints(a.ints);
    case Strings: {
      AttrList list;
      for (std::string_view text : a.strings) list.emplace_back(std::string(text));
      return list;
    }
    default: return {};
  }
}

/// Returns the node of a function's body with the attributes that its call gives.
Node with_attributes(const Node& node, const FunctionProto& function, const Node& call) {
  Node out = node;
  out.attributes.clear();
  for (const Attribute& a : node.attributes) {
    if (a.reference.empty()) {
      out.attributes.push_back(a);
      continue;
    }
    const Attribute* given = call.find(a.reference);
    if (!given) {
      const auto it = std::ranges::find(function.defaults, a.reference, &Attribute::name);
      given = it == function.defaults.end() ? nullptr : &*it;
    }
    if (!given) continue;  // an attribute that the call omits is omitted
    out.attributes.push_back(*given);
    out.attributes.back().name = a.name;
  }
  return out;
}

/// Converters index with `at` what a damaged file may have too few of.
std::vector<Expr> converted_by(const Converter& converter, const NodeContext& n) {
  try {
    return converter.convert(n).values;
  } catch (const std::out_of_range&) {  // of `dims.at(1)`
    n.fail("a tensor has fewer dimensions, or a list is shorter, than the op takes");
  }
}

}  // namespace

GraphReader::GraphReader(ModelBuilder& builder, TensorLoader& loader, const ModelProto& model,
                         const CustomConverters& custom, bool keep_initializers)
    : builder_(builder), loader_(loader), model_(model), custom_(custom), keep_initializers_(keep_initializers),
      unsupported_{"E0604", "of this model cannot be read from ONNX", help_for_unsupported()} {}

std::string GraphReader::help_for_unsupported() const {
  // PyTorch's older exporter writes opsets up to 17 by default, the newer one 18 and higher.
  constexpr int64_t kFirstOfNewExporter = 18;
  const std::string replace = "replace these layers; docs/coverage.md lists what is read";
  if (model_.producer != "pytorch" || Scope(model_.opsets, "").opset("") >= kFirstOfNewExporter) return replace;
  return "export with the newer exporter (torch.onnx.export(..., dynamo=True)), or " + replace;
}

void GraphReader::define(std::string_view name, Value value, const Span& span, Scope& scope) {
  if (!scope.define(name, std::move(value)))
    fail("E0607", span, fmt::format("{} is defined twice", io::quoted(name)), "names of a graph's values are unique");
}

Value GraphReader::weight(Array data, std::string_view name, const Span& span) {
  if (data.rank() == 0 || keep_initializers_) return {Constant::make(std::move(data), span), {}};
  return {builder_.add_weight(std::string(name), std::move(data), span), {}};
}

Value GraphReader::initializer(const Tensor& t, const Span& span, bool is_kept) {
  if (dtype_of_element(t.data_type).is_void()) return {nullptr, "of a tensor of " + name_of_element(t.data_type)};
  Array data = loader_.load(t, span);
  if (!is_kept) return weight(std::move(data), t.name, span);
  Expr parameter = builder_.add_weight(std::string(t.name), std::move(data), span);
  builder_.keep_weight(parameter);
  return {std::move(parameter), {}};
}

void GraphReader::note_sizes(const Graph& graph) {
  for (const auto* list : {&graph.values, &graph.outputs})
    for (const ValueInfo& v : *list)
      if (v.shape) sizes_.emplace(v.name, &*v.shape);
}

void GraphReader::hint_sizes(std::string_view value) {
  std::vector<std::string> names;
  if (const auto stated = sizes_.find(value); stated != sizes_.end())
    for (const Dim& d : *stated->second) names.emplace_back(d.param);
  builder_.hint_sizes(std::string(value), std::move(names));
}

void GraphReader::read_initializers(const Graph& graph, Scope& scope) {
  for (const Tensor& t : graph.initializers) {
    Span span = builder_.span(fmt::format("{}initializer {}", scope.path(), io::quoted(t.name)));
    if (t.name.empty()) fail("E0603", span, "an initialiser has no name");
    define(t.name, initializer(t, span, keep_initializers_ && &graph == &*model_.graph), span, scope);
  }
}

Value GraphReader::constant(const Node& node, const Span& span) {
  Array data;
  if (const Attribute* a = node.find("value"); a && a->tensor) {
    if (const int64_t type = a->tensor->data_type; dtype_of_element(type).is_void())
      return {nullptr, "of a tensor of " + name_of_element(type)};
    data = loader_.load(*a->tensor, span);
  }
  if (const Attribute* a = node.find("value_int")) data = Array::from_ints({}, std::vector{a->i});
  if (const Attribute* a = node.find("value_ints"))
    data = Array::from_ints({static_cast<int64_t>(a->ints.size())}, a->ints);
  if (const Attribute* a = node.find("value_float")) data = Array::from_floats({}, std::vector{a->f});
  if (const Attribute* a = node.find("value_floats"))
    data = Array::from_floats({static_cast<int64_t>(a->floats.size())}, a->floats);
  if (data.dtype().is_void()) throw UnsupportedUse{"without numbers"};
  return weight(std::move(data), node.outputs[0], span);
}

std::vector<const Value*> GraphReader::inputs_of(const Node& node, const Span& span, const Scope& scope) const {
  std::vector<const Value*> inputs;
  for (std::string_view name : node.inputs) {
    const Value* value = name.empty() ? nullptr : scope.find(name);
    if (!value && !name.empty())
      fail("E0607", span, fmt::format("{} is used before anything defines it", io::quoted(name)),
           "a node of the graph makes it, or it is an input of the graph or an initialiser");
    inputs.push_back(value);
  }
  return inputs;
}

void GraphReader::read_nodes(const std::vector<Node>& nodes, Scope& scope, const Names& outputs) {
  if (++depth_ > kMaxDepth)
    fail("E0603", builder_.span(scope.path()), "functions and bodies are nested too deeply",
         "a function of a model must not call itself");
  const std::vector<size_t> order = data_flow_order(nodes);
  is_reordered_ = is_reordered_ || !std::ranges::is_sorted(order);
  for (const size_t i : order) read_node(nodes[i], i, scope, outputs);
  --depth_;
}

void GraphReader::count_node(const Span& span) {
  if (depth_ > 1 && ++nodes_read_ > kMaxNodesRead)
    fail("E0603", span, "the model reads too many nodes of functions and loops",
         fmt::format("at most {} are read", kMaxNodesRead));
}

void GraphReader::read_node(const Node& node, size_t index, Scope& scope, const Names& outputs) {
  const std::string label = shortened(scope.path()) + label_of(node, index);
  const Span span = builder_.span(label);
  count_node(span);
  if (node.outputs.empty()) fail("E0603", span, fmt::format("{} has no output", io::quoted(node.op)));
  std::vector<Value> values;
  const std::string op = op_name(node);
  hint_sizes(node.outputs[0]);
  const bool is_read = findings_.run(&unsupported_, op, span, [&] { values = values_of(node, {span, label}, scope); });
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const std::string_view name = node.outputs[i];
    if (name.empty()) continue;
    Value value;
    if (i < values.size())
      value = std::move(values[i]);
    else if (is_read && !values.empty())
      value.problem = "of a further output of " + io::quoted(op);
    hint_sizes(name);
    if (keep_initializers_ && find<Call>(value.expr) && free_vars(value.expr).empty())
      if (std::optional<Array> known = builder_.data(value.expr)) value.expr = Constant::make(*known, span);
    if (value.expr)
      value.expr = builder_.bind(value.expr, std::string(name),
                                 outputs.contains(name) ? sunmao::Place::Output : sunmao::Place::Inside);
    define(name, std::move(value), span, scope);
  }
  if (!is_read) look_into_bodies(node, label, scope);
}

/// Returns no values when the node needs one that could not be read.
std::vector<Value> GraphReader::values_of(const Node& node, const Place& place, const Scope& scope) {
  try {
    return convert(node, place, scope);
  } catch (const NeedsUnread&) {
    return {};
  }
}

std::vector<Value> GraphReader::convert(const Node& node, const Place& place, const Scope& scope) {
  const std::string op = op_name(node);
  const auto custom = custom_.find(op);
  if (is_control_flow(op) && custom == custom_.end()) return read_control_flow(node, place, scope);
  const Converter* converter = find_converter(op, scope.opset(node.domain));
  if (!converter && op != "Constant" && custom == custom_.end()) {
    if (const FunctionProto* function = find_function(node)) return call(*function, node, place, scope);
    throw UnsupportedUse{};
  }
  builder_.begin_node(place.label, op);
  if (!converter && custom == custom_.end()) return {constant(node, place.span)};
  const NodeContext context(builder_, node, scope.opset(node.domain), place.span, inputs_of(node, place.span, scope));
  std::vector<Value> values;
  for (Expr& e :
       custom == custom_.end() ? converted_by(*converter, context) : convert_by(custom->second, node, context))
    values.push_back({std::move(e), {}});
  return values;
}

std::vector<Expr> GraphReader::convert_by(const CustomConverter& converter, const Node& node, const NodeContext& n) {
  CustomNode given{.op = op_name(node), .inputs = {}, .attributes = {}, .span = n.span};
  for (size_t i = 0; i < n.input_count(); ++i) given.inputs.push_back(n.has_input(i) ? n.tensor(i) : Expr());
  for (const Attribute& a : node.attributes) {
    AttrValue value = attribute_value(a);
    if (a.tensor) value = AttrValue(Constant::make(loader_.load(*a.tensor, n.span), n.span));
    given.attributes.emplace(a.name, std::move(value));
  }
  return converter(given);
}

const FunctionProto* GraphReader::find_function(const Node& node) const {
  for (const FunctionProto& f : model_.functions)
    if (f.name == node.op && f.domain == node.domain && f.overload == node.overload) return &f;
  return nullptr;
}

std::vector<Value> GraphReader::call(const FunctionProto& function, const Node& node, const Place& place,
                                     const Scope& scope) {
  builder_.note_inlined(place.label, op_name(node));
  Scope inner(function.opsets.empty() ? model_.opsets : function.opsets,
              fmt::format("{}, function {}, ", place.label, io::quoted(function.name)));
  const std::vector<const Value*> given = inputs_of(node, place.span, scope);
  for (size_t i = 0; i < function.inputs.size(); ++i)
    if (i < given.size() && given[i]) define(function.inputs[i], *given[i], place.span, inner);
  std::vector<Node> nodes;
  for (const Node& n : function.nodes) {
    nodes.push_back(with_attributes(n, function, node));
    for (std::string_view& input : nodes.back().inputs)  // a formal input that the call omits is omitted in turn
      if (std::ranges::find(function.inputs, input) != function.inputs.end() && !inner.find(input)) input = {};
  }
  read_nodes(nodes, inner, {});
  std::vector<Value> values;
  for (std::string_view name : function.outputs) {
    const Value* value = inner.find(name);
    if (!value)
      fail(
          "E0607", place.span,
          fmt::format("nothing defines {}, an output of the function {}", io::quoted(name), io::quoted(function.name)));
    values.push_back(*value);
  }
  return values;
}

bool GraphReader::is_read(const Node& node, const Scope& scope) const {
  const std::string op = op_name(node);
  return custom_.contains(op) || op == "Constant" || is_control_flow(op) ||
         find_converter(op, scope.opset(node.domain)) || find_function(node);
}

void GraphReader::look_into_bodies(const Node& node, const std::string& label, const Scope& scope) {
  for (const Attribute& a : node.attributes)
    for (const Graph& body : a.bodies)
      for (size_t i = 0; i < body.nodes.size(); ++i) {
        const Node& inner = body.nodes[i];
        const std::string path = fmt::format("{}, {}, {}", label, io::quoted(a.name), label_of(inner, i));
        if (!is_read(inner, scope)) findings_.add_op(&unsupported_, op_name(inner), "", builder_.span(path));
        look_into_bodies(inner, path, scope);
      }
}

}  // namespace sunmao::onnx
