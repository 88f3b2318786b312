// The writer of ONNX files: parameters, bindings and results of `main`; calls are written by the rows of the families.
#include <fmt/format.h>

#include <map>

#include "frontend/onnx_writer.h"
#include "frontend/onnx_writer/onnx_call.h"
#include "ir/source_names.h"
#include "ops/ops.h"

namespace sunmao {
namespace onnx_writer {
namespace {

constexpr size_t kLargestFile = size_t{1} << 30;  // bytes; a message of protocol buffers has fewer than 2 GB

const std::map<std::string_view, Row>& all_rows() {
  static const std::map<std::string_view, Row> rows = [] {
    std::map<std::string_view, Row> all;
    for (const auto& family :
         {elementwise_rows, making_rows, norm_rows, place_rows, product_rows, reduction_rows, shape_rows, window_rows})
      for (const Row& row : family()) all.emplace(row.op, row);
    return all;
  }();
  return rows;
}

/// Returns the names that the model's file has for parameters, by an attribute of the function.
std::string source_name(const Function& f, const char* attribute, const std::string& parameter) {
  const auto* names = f.attr<AttrMap>(attribute);
  const auto found = names ? names->find(parameter) : AttrMap::const_iterator();
  const std::string* name = names && found != names->end() ? found->second.find<std::string>() : nullptr;
  return name ? *name : parameter;
}

class ModelWriter {
 public:
  explicit ModelWriter(const Model& model) : model_(model) {}

  std::string write() {
    const Ref<Function> main = only_function();
    if (!model_.states.empty()) throw NoCounterpart{"the model keeps a state, which ONNX does not know"};
    size_t bytes = 0;
    for (const auto& [name, data] : model_.weights) bytes += data.size_bytes();
    if (bytes > kLargestFile) throw NoCounterpart{"the weights are larger than what is written into one file, 1 GB"};
    for (size_t i = 0; i < main->params.size(); ++i) define_parameter(*main, i);
    for (const Ref<BindingBlock>& block : main->body->blocks)
      for (const Binding& b : block->bindings) write_binding(b);
    write_results(main->body->body);
    return graph_.model();
  }

 private:
  Ref<Function> only_function() const {
    const Ref<Function> main = model_.module.find_as<Function>("main");
    if (!main) throw NoCounterpart{"the module has no function `main`"};
    if (model_.module.functions().size() > 1)
      throw NoCounterpart{"the module has more functions than `main`, and a graph of ONNX is one"};
    return main;
  }

  void define_parameter(const Function& main, size_t i) {
    const Ref<Var>& var = main.params[i];
    const auto* type = find<TensorType>(var->type);
    if (!type) throw NoCounterpart{fmt::format("the parameter `{}` is no tensor", var->name)};
    if (type->vdevice) throw NoCounterpart{fmt::format("the parameter `{}` states a device", var->name)};
    const auto* inputs = main.attr<int64_t>("num_input");
    const bool is_weight = inputs && static_cast<int64_t>(i) >= *inputs;
    std::string name = source_name(main, is_weight ? kSourceWeightsAttr : kSourceInputsAttr, var->name);
    if (is_weight) {
      const auto data = model_.weights.find(var->name);
      if (data == model_.weights.end()) throw NoCounterpart{fmt::format("the weight `{}` has no data", var->name)};
      name = graph_.initializer(data->second, name);
    } else {
      name = graph_.fresh(name);
      graph_.add_input(name, *type);
    }
    names_.define(var, {name});
    names_.note_sizes(*type, name);
  }

  void write_binding(const Binding& b) {
    if (b.is_match_cast())
      throw NoCounterpart{fmt::format("`{}` is checked while running, by a match_cast", b.var->name)};
    Values values = values_of(b.value, b.var->name);
    if (const auto* call = find<Call>(b.value); call && values.size() == 1)
      values = {graph_.rename(values[0], b.var->name, first_node_)};
    names_.define(b.var, std::move(values));
  }

  Values values_of(const Expr& e, const std::string& name) {
    first_node_ = graph_.node_count();
    if (find<Var>(e)) return names_.of(e);
    if (const auto* call = find<Call>(e)) return write_call(*call, name);
    if (const auto* constant = find<Constant>(e)) return {graph_.initializer(constant->data, name)};
    if (const auto* shape = find<ShapeExpr>(e)) return {names_.vector(shape->values, graph_)};
    if (const auto* item = find<TupleGetItem>(e); item && find<Var>(item->tuple))
      return {names_.of(item->tuple)[static_cast<size_t>(item->index)]};
    if (const auto* tuple = find<Tuple>(e)) {
      Values out;
      for (const Expr& field : tuple->fields) {
        const Values own = values_of(field, name);
        if (own.size() != 1 || find<TupleType>(field->type))
          throw NoCounterpart{fmt::format("`{}` is a tuple of tuples", name)};
        out.push_back(own[0]);
      }
      return out;
    }
    throw NoCounterpart{find<If>(e) ? fmt::format("`{}` is a branch", name) : fmt::format("`{}` is no tensor", name)};
  }

  Values write_call(const Call& call, const std::string& name) {
    const Op* op = op_of(call);
    if (!op) throw NoCounterpart{fmt::format("`{}` calls a function", name)};
    const auto found = all_rows().find(op->name());
    if (found == all_rows().end()) throw NoCounterpart{fmt::format("`{}` has no counterpart in ONNX", op->name())};
    OnnxCall c(call, found->second, name, graph_, names_);
    require_dtypes(c);
    return found->second.write(c);
  }

  static void require_dtypes(const OnnxCall& c) {
    for (const Expr& arg : c.call.args) {
      if (const auto* type = find<TensorType>(arg->type)) c.require_dtype(type->dtype, c.row.dtypes);
    }
  }

  void write_results(const Expr& body) {
    const auto* tuple = find<TupleType>(body->type);
    const Values values = values_of(body, "output");
    if (values.empty()) throw NoCounterpart{"the model gives no result"};
    for (size_t i = 0; i < values.size(); ++i) {
      const auto* type = find<TensorType>(tuple ? tuple->fields[i] : body->type);
      if (!type) throw NoCounterpart{"a result is no tensor"};
      const bool is_made = graph_.is_made(values[i]) && std::ranges::count(values, values[i]) == 1;
      const std::string output = is_made ? values[i] : graph_.add("Identity", {values[i]}, {}, {"output"}).front();
      graph_.add_output(output, *type);
    }
  }

  const Model& model_;
  OnnxGraph graph_;
  ValueNames names_;
  size_t first_node_ = 0;  // of the binding that is being written
};

}  // namespace
}  // namespace onnx_writer

OnnxFile write_onnx(const Model& model) {
  try {
    return {.bytes = onnx_writer::ModelWriter(model).write(), .obstacle = {}};
  } catch (const onnx_writer::NoCounterpart& e) {
    return {.bytes = {}, .obstacle = e.reason};
  }
}

std::vector<OnnxWriterRow> onnx_writer_rows() {
  std::vector<OnnxWriterRow> rows;
  for (const auto& [op, row] : onnx_writer::all_rows()) rows.push_back({row.op, row.becomes});
  return rows;
}

}  // namespace sunmao
