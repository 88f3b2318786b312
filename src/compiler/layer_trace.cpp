#include "compiler/layer_trace.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "codegen/vm/call_origin.h"
#include "eval/element.h"
#include "ir/op.h"
#include "ir/source_names.h"
#include "ir/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

Ref<Function> traced_main(const Model& model) {
  const Ref<Function> main = model.module.find_as<Function>("main");
  if (!main) fail("E0003", {}, "the module has no function `main`", "the layers of `main` are compared");
  return main;
}

bool is_layer(const Type& type) {
  const auto* tensor = find<TensorType>(type);
  return tensor && tensor->dims() && !tensor->is_unknown_dtype();
}

std::string name_of_call(const Expr& value) {
  const auto* call = find<Call>(value);
  if (!call) return find<TupleGetItem>(value) ? "field of a tuple" : "value";
  if (const Op* op = op_of(*call)) return op->name();
  const auto* function = find<GlobalVar>(call->callee);
  return function ? function->name : "call";
}

std::string place_of_span(const Span& span) {
  const CallOrigin origin = origin_of(span);
  std::string out = origin.node.empty() ? std::string() : fmt::format("node `{}`", origin.node);
  if (!origin.module.empty()) out += fmt::format("{}in `{}`", out.empty() ? "" : " ", origin.module);
  if (!origin.line.empty()) out += out.empty() ? origin.line : fmt::format(" ({})", origin.line);
  return out;
}

/// Everything that a value is computed from: the variables and constants that it names.
class Sources final : public Visitor {
 public:
  using Visitor::visit;
  std::vector<Ref<Var>> vars;
  std::vector<Array> constants;

 private:
  void visit(const Var& var) override { vars.emplace_back(&var); }
  void visit_leaf(const Expr& e) override {
    if (const auto* c = find<Constant>(e)) constants.push_back(c->data);
  }
};

/// What a variable stands for among layers and parameters.
struct Origins {
  std::set<size_t> layers;
  std::vector<Ref<Var>> params;
  std::vector<Array> constants;
  void add(const Origins& other) {
    layers.insert(other.layers.begin(), other.layers.end());
    for (const Ref<Var>& p : other.params)
      if (std::ranges::find(params, p) == params.end()) params.push_back(p);
    constants.insert(constants.end(), other.constants.begin(), other.constants.end());
  }
};

/// Lists the layers in order.
class LayerList {
 public:
  explicit LayerList(const Function& main) {
    for (const Ref<Var>& p : main.params) origins_[p].params.push_back(p);
  }

  /// Returns true when the binding is a layer.
  bool add(const Binding& b) {
    Sources sources;
    sources.visit(b.value);
    Origins from;
    for (const Ref<Var>& v : sources.vars)
      if (auto it = origins_.find(v); it != origins_.end()) from.add(it->second);
    from.constants.insert(from.constants.end(), sources.constants.begin(), sources.constants.end());
    if (!is_layer(b.var->type) || find<Var>(b.value)) {
      origins_[b.var] = std::move(from);
      return false;
    }
    origins_[b.var].layers = {layers.size()};
    const std::string node = origin_of(b.span).node;
    Layer layer{.name = unique(node.empty() ? b.var->name : node),
                .node = node,
                .op = name_of_call(b.value),
                .place = place_of_span(b.span),
                .var = b.var,
                .layers = {from.layers.begin(), from.layers.end()},
                .params = std::move(from.params),
                .constants = {}};
    for (size_t i = 0; i < from.constants.size(); ++i)
      layer.constants.emplace_back(fmt::format("constant {} of {}", i, layer.op), std::move(from.constants[i]));
    for (Layer& earlier : layers)
      if (earlier.node == node) earlier.node.clear();
    layers.push_back(std::move(layer));
    return true;
  }

  std::vector<Layer> layers;

 private:
  std::string unique(const std::string& name) {
    const int count = ++counts_[name];
    return count == 1 ? name : fmt::format("{}#{}", name, count);
  }

  std::unordered_map<Ref<Var>, Origins> origins_;
  std::map<std::string, int> counts_;
};

size_t count_tensors_of(const Type& type) {
  const auto* tuple = find<TupleType>(type);
  if (!tuple) return 1;
  size_t count = 0;
  for (const Type& field : tuple->fields) count += count_tensors_of(field);
  return count;
}

/// Returns `main` with other bindings and result, without attributes that list results.
Module with_main_body(const Model& model, std::vector<Ref<BindingBlock>> blocks, Expr result) {
  const Ref<Function> main = traced_main(model);
  const Attrs attrs = main->attrs.without(kSourceOutputsAttr).without(kNestingAttr);
  return model.module.with_function(
      "main", Function::make(main->params, SeqExpr::make(std::move(blocks), std::move(result), main->body->span),
                             nullptr, main->is_pure, attrs, main->span));
}

Ref<BindingBlock> block_like(const BindingBlock& block, std::vector<Binding> bindings) {
  return block.is_dataflow ? BindingBlock::make_dataflow(std::move(bindings), block.span)
                           : BindingBlock::make(std::move(bindings), block.span);
}

template <class Test>
std::optional<NotFinite> find_element(const Array& array, Test test) {
  if (!array.dtype().is_float()) return std::nullopt;
  for (int64_t i = 0; i < array.count(); ++i) {
    const double value = number_at(array, i);
    if (test(value)) return NotFinite{i, value};
  }
  return std::nullopt;
}

}  // namespace

LayerTrace trace_layers(const Model& model) {
  const Ref<Function> main = traced_main(model);
  std::vector<Expr> results{main->body->body};
  if (const auto* tuple = find<Tuple>(main->body->body)) results = tuple->fields;
  LayerTrace out{.model = model, .results = count_tensors_of(main->body->body->type), .layers = {}};
  LayerList list(*main);
  std::vector<Ref<BindingBlock>> blocks;
  for (const Ref<BindingBlock>& block : main->body->blocks) {
    std::vector<Binding> bindings = block->bindings;
    for (const Binding& b : block->bindings) {
      if (!list.add(b)) continue;
      // A variable of a dataflow block is not visible behind it, so another one is bound to it.
      Ref<Var> visible = b.var;
      if (b.var->is_dataflow) {
        visible = Var::make(b.var->name + "_layer", b.var->type, b.span);
        bindings.push_back({visible, b.var, nullptr, b.span});
      }
      results.push_back(visible);
    }
    blocks.push_back(block_like(*block, std::move(bindings)));
  }
  out.layers = std::move(list.layers);
  out.model.module = with_main_body(model, std::move(blocks), Tuple::make(std::move(results)));
  return out;
}

Model with_layer_alone(const Model& model, const Layer& layer) {
  Model out = model;
  Expr result = layer.var;
  std::vector<Ref<BindingBlock>> blocks;
  for (const Ref<BindingBlock>& block : traced_main(model)->body->blocks) {
    std::vector<Binding> bindings = block->bindings;
    const bool is_here = std::ranges::any_of(bindings, [&](const Binding& b) { return b.var == layer.var; });
    if (is_here && layer.var->is_dataflow) {
      const Ref<Var> visible = Var::make(layer.var->name + "_layer", layer.var->type, layer.var->span);
      bindings.push_back({visible, layer.var, nullptr, layer.var->span});
      result = visible;
    }
    blocks.push_back(block_like(*block, std::move(bindings)));
    if (is_here) break;
  }
  out.module = with_main_body(model, std::move(blocks), std::move(result));
  return out;
}

std::optional<NotFinite> find_nan(const Array& array) {
  return find_element(array, [](double v) { return std::isnan(v); });
}

std::optional<NotFinite> find_infinity(const Array& array) {
  return find_element(array, [](double v) { return std::isinf(v); });
}

}  // namespace sunmao
