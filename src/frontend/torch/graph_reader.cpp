#include "frontend/torch/graph_reader.h"

#include <algorithm>
#include <stdexcept>

#include "frontend/shapes.h"
#include "frontend/torch/complex.h"
#include "frontend/torch/origin.h"
#include "frontend/torch/tensors.h"
#include "frontend/torch/written.h"
#include "io/concat.h"
#include "sym/walk.h"

namespace sunmao::torch {
namespace {

constexpr int kMaxDepth = 32;  // of subgraphs inside each other

const FindingKind kUnsupported{
    "E0707", "of this program cannot be read",
    "run `ep = ep.run_decompositions()` before torch.export.save: it replaces many ops by simpler ones"};
const FindingKind kInPlace{"E0708", "of this program would change tensors in place",
                           "run `ep = ep.run_decompositions()` before torch.export.save"};

/// Returns why a node becomes nothing; null for other nodes.
const char* why_nothing(std::string_view target) {
  constexpr std::string_view kSizes[] = {"_operator.",
                                         "torch.sym_",
                                         "math.",
                                         "aten.sym_size.",
                                         "aten.sym_numel.",
                                         "aten.sym_stride.",
                                         "aten.sym_storage_offset.",
                                         "aten.sym_is_contiguous."};
  constexpr std::string_view kAssertions[] = {"aten._assert_tensor_metadata.", "aten._assert_scalar.",
                                              "aten._assert_async.",           "aten._linalg_check_errors.",
                                              "aten.sym_constrain_range.",     "aten.sym_constrain_range_for_size."};
  const auto begins = [&](std::string_view prefix) { return target.starts_with(prefix); };
  if (std::ranges::any_of(kSizes, begins)) return "arithmetic on sizes, whose results the program states";
  if (std::ranges::any_of(kAssertions, begins))
    return "an assertion: those about sizes of inputs are checked on entry, those about elements are not";
  return nullptr;
}

constexpr std::string_view kWithEffects = "higher_order.with_effects";

/// Returns the op that `kWithEffects` applies in the order that tokens state.
std::string_view ordered_op(io::JsonValue node) {
  std::string_view op = node["inputs"][size_t{1}]["arg"]["as_operator"].as_string().value_or("");
  constexpr std::string_view kPrefix = "torch.ops.";
  if (op.starts_with(kPrefix)) op.remove_prefix(kPrefix.size());
  return op;
}

bool is_wrapper(std::string_view target) {
  return target == "higher_order.wrap_with_set_grad_enabled" || target == "higher_order.wrap_with_autocast";
}

bool goes_over_rows(std::string_view target) {
  return target == "higher_order.map_impl" || target == "higher_order.scan";
}

/// Returns the node's target, such as "aten.add.Tensor".
std::string_view target_of(io::JsonValue node, const Span& whole) {
  required_text(node["target"], "a node's target", whole);
  return target_name(node);
}

/// Converters index with `at` what a damaged file may have too few of.
std::vector<Expr> converted_by(const Converter& converter, const NodeContext& n) {
  try {
    return converter.convert(n).values;
  } catch (const std::out_of_range&) {  // of `dims.at(1)`
    fail("E0704", n.span, "a tensor has fewer dimensions, or a list is shorter, than the op takes",
         "the file is damaged");
  }
}

}  // namespace

std::string_view required_text(io::JsonValue value, const char* what, const Span& span) {
  std::optional<std::string_view> s = value.as_string();
  if (!s) fail("E0704", span, fmt::format("the program lacks {}", what), "the file is damaged");
  return *s;
}

AliasMap::Id GraphScope::id(std::string_view name, const Span& span) const {
  auto it = ids_.find(name);
  if (it == ids_.end())
    fail("E0704", span, fmt::format("{} is used before anything defines it", io::quoted(name)), "the file is damaged");
  return it->second;
}

void GraphScope::define(std::string_view name, AliasMap::Id id, const Span& span) {
  if (!ids_.try_emplace(name, id).second)
    fail("E0704", span, fmt::format("{} is defined twice", io::quoted(name)), "the file is damaged");
}

Expr GraphScope::tensor(std::string_view name, const Span& span) {
  const AliasMap::Id number = id(name, span);
  const std::string& problem = reader_.tensors().problem(number);
  if (!problem.empty()) throw UnsupportedUse{problem};
  return reader_.tensors().read(number);
}

Scalar GraphScope::symbolic_int(std::string_view name, const Span& span) {
  io::JsonValue size = graph_["sym_int_values"][name];
  if (!size.exists())
    fail("E0704", span, fmt::format("the size {} has no value", io::quoted(name)), "the file is damaged");
  return reader_.data().size(parse_size(size, reader_.builder(), span), span);
}

const FindingKind* GraphReader::unsupported() { return &kUnsupported; }

void GraphReader::read_nodes(GraphScope& scope, const Names& outputs) {
  if (++depth_ > kMaxDepth) fail("E0704", whole_, "subgraphs are nested too deeply", "the file is damaged");
  for (io::JsonValue node : scope.graph()["nodes"].elements()) read_node(node, scope, outputs);
  --depth_;
}

std::vector<GraphReader::Output> GraphReader::outputs_of(io::JsonValue node, GraphScope& scope, const Span& span) {
  std::vector<Output> out;
  const auto add = [&](std::string_view name) {
    io::JsonValue meta = scope.graph()["tensor_values"][name];
    out.push_back({name, meta.exists() ? data_.meant(parse_tensor_type(meta, builder_, span)) : Type()});
  };
  for (io::JsonValue output : node["outputs"].elements()) {
    if (output["as_tensors"].is_array()) {
      for (io::JsonValue element : output["as_tensors"].elements())
        add(required_text(element["name"], "the name of a node's result", span));
    } else if (auto name = output["as_tensor"]["name"].as_string()) {
      add(*name);
    } else {
      out.push_back({});
    }
  }
  return out;
}

void GraphReader::read_node(io::JsonValue node, GraphScope& scope, const Names& outputs) {
  const std::string_view target = target_of(node, whole_);
  const std::string label = describe_origin(node);
  if (read_number(node, target, label, scope) || read_assertion(node, target, label, scope)) return;
  if (const char* reason = why_nothing(target == kWithEffects ? ordered_op(node) : target))
    return builder_.note_folded(label, std::string(target), reason);
  const Span span = builder_.span(label);
  const auto custom = custom_.find(target);
  const Converter* converter = find_converter(target);
  const FindingKind* kind = works_in_place(target) && !converter ? &kInPlace : &kUnsupported;
  std::vector<Output> values;
  bool is_read = false;
  findings_.run(kind, std::string(target), span, [&] {
    values = outputs_of(node, scope, span);
    try {
      const bool is_complex = !is_wrapper(target) && has_complex(node, values, scope);
      if (is_complex) {
        converter = complex_form(target);
        if (!converter || custom != custom_.end()) throw UnsupportedUse{"on complex numbers"};
      }
      if (is_wrapper(target)) {
        builder_.note_inlined(label, std::string(target));
        read_wrapper(node, target, values, scope, span);
      } else if (goes_over_rows(target)) {
        builder_.note_inlined(label, std::string(target));
        read_rows(node, target, values, scope, span);
      } else if (target == "higher_order.cond") {
        builder_.begin_node(label, std::string(target));
        read_cond(node, values, scope, span);
      } else if (target == "higher_order.while_loop") {
        builder_.begin_node(label, std::string(target));
        read_while(node, values, scope, span);
      } else {
        if (target == kWithEffects) throw UnsupportedUse{fmt::format("of {}", io::quoted(ordered_op(node)))};
        if (!converter && custom == custom_.end()) throw UnsupportedUse{};
        builder_.begin_node(label, std::string(target));
        convert(converter, custom == custom_.end() ? nullptr : &custom->second, node, values, scope, outputs, span);
      }
      is_read = true;
    } catch (const NeedsUnread&) {
    }
  });
  if (!is_read) define_unread(values, scope, span);
}

void GraphReader::define_unread(const std::vector<Output>& outputs, GraphScope& scope, const Span& span) {
  for (const Output& o : outputs)
    if (!o.name.empty() && !scope.has(o.name)) scope.define(o.name, tensors_.add(nullptr), span);
}

void GraphReader::convert(const Converter* converter, const CustomConverter* custom, io::JsonValue node,
                          const std::vector<Output>& outputs, GraphScope& scope, const Names& results,
                          const Span& span) {
  std::vector<Type> recorded;
  for (const Output& o : outputs) recorded.push_back(o.recorded);
  const std::string_view target = target_of(node, whole_);
  const NodeContext n(builder_, node, target, span, scope, std::move(recorded));
  if (custom) converter = nullptr;
  std::vector<Expr> values = custom ? (*custom)(n.as_custom()) : converted_by(*converter, n);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = outputs[i];
    if (output.name.empty()) continue;
    if (i >= values.size() || !values[i]) {
      scope.define(output.name, tensors_.add(nullptr, "of a further output of " + io::quoted(target)), span);
      continue;
    }
    Expr value = values[i];
    const auto* tensor = find<TensorType>(output.recorded);
    if (converter && converter->alias == Alias::InPlace && tensor)
      value = converted(builder_, value, tensor->dtype, span);
    value = bound(std::move(value), output, results.contains(output.name) ? Place::Output : Place::Inside, span);
    define(output, i, std::move(value), converter, first_tensor(node), n, scope);
  }
}

bool GraphReader::has_complex(io::JsonValue node, const std::vector<Output>& outputs, const GraphScope& scope) {
  io::JsonValue described = scope.graph()["tensor_values"];
  return std::ranges::any_of(outputs, [](const Output& o) { return find<TupleType>(o.recorded) != nullptr; }) ||
         std::ranges::any_of(tensor_names_of(node["inputs"]), [&](std::string_view name) {
           return !part_of_scalar_type(described[name]["dtype"].as_int().value_or(0)).is_void();
         });
}

Expr GraphReader::bound(Expr value, const Output& output, Place place, const Span& span) {
  const std::string name(output.name);
  if (const auto* types = find<TupleType>(output.recorded)) {
    const Complex parts = complex_parts(value);
    if (!parts.im) fail("E0710", span, "the result is real, but the exporter recorded complex numbers");
    return with_parts(value, {bound(parts.re, {name + "_re", types->fields[0]}, Place::Inside, span),
                              bound(parts.im, {name + "_im", types->fields[1]}, Place::Inside, span)});
  }
  check_result(value, output.recorded, span);
  return builder_.bind(data_.sized(value, output.recorded, span), name, place);
}

void GraphReader::define(const Output& output, size_t index, Expr value, const Converter* converter,
                         std::string_view whole, const NodeContext& n, GraphScope& scope) {
  if (!converter || converter->alias == Alias::None || whole.empty())
    return scope.define(output.name, tensors_.add(std::move(value)), n.span);
  const AliasMap::Id id = scope.id(whole, n.span);
  if (converter->alias == Alias::Self && value != tensors_.read(id))
    return scope.define(output.name, tensors_.add(std::move(value)), n.span);
  if (converter->alias == Alias::InPlace) tensors_.write(id, value);
  if (converter->alias != Alias::View) return scope.define(output.name, id, n.span);
  AliasMap::View view{
      .read = [n, converter, index] { return converted_by(*converter, n).at(index); },
      .write =
          [n, converter](const Expr& self, const Expr& part) {
            if (!converter->write_back)
              throw UnsupportedUse{fmt::format("in place through the view of {}", io::quoted(n.target))};
            return converter->write_back(n, self, part);
          }};
  scope.define(output.name, tensors_.add_view(id, std::move(value), std::move(view)), n.span);
}

/// Reads the subgraph of a wrapper, whose arguments follow it, and gives its results to the node's outputs.
void GraphReader::read_wrapper(io::JsonValue node, std::string_view target, const std::vector<Output>& outputs,
                               GraphScope& scope, const Span& span) {
  const io::JsonValue graph = subgraph_of(node);
  std::vector<AliasMap::Id> arguments;
  bool enables = false;
  int is_said = 0;
  for (io::JsonValue input : node["inputs"].elements()) {
    io::JsonValue arg = input["arg"];
    if (arg["as_bool"].exists() && !is_said++)
      enables = *arg["as_bool"].as_bool();  // the first one: cache_enabled follows
    else if (auto name = arg["as_tensor"]["name"].as_string())
      arguments.push_back(scope.id(*name, span));
  }
  if (!graph.exists()) fail("E0704", span, "the wrapper has no subgraph", "the file is damaged");
  if (target.ends_with("autocast") && enables)
    throw UnsupportedUse{"that is enabled: run `ep = ep.run_decompositions()` before torch.export.save"};
  const std::vector<AliasMap::Id> results = inlined(graph, arguments, span);
  for (size_t i = 0; i < std::min(results.size(), outputs.size()); ++i)
    if (!outputs[i].name.empty()) scope.define(outputs[i].name, results[i], span);
}

std::vector<AliasMap::Id> GraphReader::inlined(io::JsonValue graph, const std::vector<AliasMap::Id>& arguments,
                                               const Span& span) {
  GraphScope& inner = open_scope(graph);
  size_t next = 0;
  for (io::JsonValue input : graph["inputs"].elements()) {
    auto name = input["as_tensor"]["name"].as_string();
    if (!name) continue;
    if (next == arguments.size())
      fail("E0704", span, "the subgraph takes more tensors than it is given", "the file is damaged");
    inner.define(*name, arguments[next++], span);
  }
  read_nodes(inner, {});
  std::vector<AliasMap::Id> results;
  const auto give = [&](std::string_view name) { results.push_back(inner.id(name, span)); };
  for (io::JsonValue output : graph["outputs"].elements()) {
    for (io::JsonValue element : output["as_tensors"].elements())
      give(required_text(element["name"], "the name of a result", span));
    if (auto name = output["as_tensor"]["name"].as_string()) give(*name);
  }
  return results;
}

/// Compares the inferred type with the one recorded by the exporter; a difference means that the op was
/// misinterpreted.
void GraphReader::check_result(const Expr& value, const Type& recorded, const Span& span) {
  if (!recorded) return;
  const auto* seen = find<TensorType>(recorded);
  const std::vector<Scalar>* dims = dims_of(value);
  bool differs = dtype_of(value) != seen->dtype || (dims && dims->size() != seen->dims()->size());
  for (size_t i = 0; dims && !differs && i < dims->size(); ++i)
    differs = builder_.can_prove(Binary::make(BinaryOp::Ne, (*dims)[i], (*seen->dims())[i]));
  if (differs)
    fail("E0710", span,
         fmt::format("the result is {}, but the exporter recorded {}", sunmao::describe(value->type),
                     sunmao::describe(recorded)),
         "the file is damaged, or this use of the op is not understood: please report it");
}

}  // namespace sunmao::torch
