// Branches and loops that a run decides: higher-order ops `cond` and `while_loop`.
#include "frontend/control_flow.h"
#include "frontend/torch/graph_reader.h"
#include "frontend/torch/written.h"

namespace sunmao::torch {
namespace {

/// Tensors are read before a body is: what a body reads first is bound in it, and known to nothing else.
struct Parts {
  std::vector<io::JsonValue> graphs;
  std::vector<std::vector<AliasMap::Id>> lists;  // of tensors
};

Parts parts_of(io::JsonValue node, const GraphScope& scope, const Span& span) {
  Parts out;
  for (io::JsonValue input : node["inputs"].elements()) {
    if (io::JsonValue graph = input["arg"]["as_graph"]["graph"]; graph.exists()) {
      // A body may be run or not, so it must not change what is outside of it.
      if (!maybe_written(graph).empty()) throw UnsupportedUse{"that changes tensors in place"};
      out.graphs.push_back(graph);
    } else if (io::JsonValue tensors = input["arg"]["as_tensors"]; tensors.is_array()) {
      out.lists.emplace_back();
      for (io::JsonValue tensor : tensors.elements())
        out.lists.back().push_back(scope.id(required_text(tensor["name"], "the name of an argument", span), span));
    } else if (!input["arg"]["as_tensor"].exists() && !input["arg"]["as_sym_bool"].exists()) {
      throw UnsupportedUse{"with sizes or numbers as arguments"};
    }
  }
  return out;
}

}  // namespace

std::vector<Expr> GraphReader::values_of(const std::vector<AliasMap::Id>& ids) {
  std::vector<Expr> out;
  for (AliasMap::Id id : ids) {
    if (const std::string& problem = tensors_.problem(id); !problem.empty()) throw UnsupportedUse{problem};
    out.push_back(tensors_.read(id));
    if (!out.back()) throw NeedsUnread{};
  }
  return out;
}

void GraphReader::bind_all(const std::vector<std::vector<AliasMap::Id>>& lists) {
  for (const std::vector<AliasMap::Id>& list : lists)
    for (const Expr& e : values_of(list)) builder_.bind(e, "lv");
}

void GraphReader::define_all(const std::vector<Output>& outputs, const std::vector<Expr>& values, GraphScope& scope,
                             const Span& span) {
  if (values.size() != outputs.size())
    fail("E0704", span, "the body gives another number of results than the node", "the file is damaged");
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].name.empty()) continue;
    check_result(values[i], outputs[i].recorded, span);
    const Expr value = data_.sized(values[i], outputs[i].recorded, span);
    scope.define(outputs[i].name, tensors_.add(builder_.bind(value, std::string(outputs[i].name))), span);
  }
}

void GraphReader::read_cond(io::JsonValue node, const std::vector<Output>& outputs, GraphScope& scope,
                            const Span& span) {
  const Parts parts = parts_of(node, scope, span);
  const std::string_view name = first_tensor(node), number = symbolic_number_in(node["inputs"][size_t{0}]["arg"]);
  if ((name.empty() && number.empty()) || parts.graphs.size() != 2 || parts.lists.size() != 1)
    throw UnsupportedUse{"whose condition is no tensor"};
  const Expr condition = number.empty() ? values_of({scope.id(name, span)})[0] : scope.number(number, span);
  bind_all(parts.lists);
  const auto branch = [&](size_t i) {
    return [&, i] { return values_of(inlined_body(parts.graphs[i], parts.lists[0], span)); };
  };
  define_all(outputs, choice(builder_, condition, branch(0), branch(1), "cond", span), scope, span);
}

void GraphReader::read_while(io::JsonValue node, const std::vector<Output>& outputs, GraphScope& scope,
                             const Span& span) {
  const Parts parts = parts_of(node, scope, span);
  if (parts.graphs.size() != 2 || parts.lists.empty() || parts.lists[0].empty())
    fail("E0704", span, "the node lacks its bodies or its arguments", "the file is damaged");
  bind_all(parts.lists);
  const auto body = [&](size_t i) {
    return [&, i](const std::vector<Expr>& carried) {
      std::vector<AliasMap::Id> arguments;
      for (const Expr& e : carried) arguments.push_back(tensors_.add(e));
      for (size_t k = 1; k < parts.lists.size(); ++k)
        arguments.insert(arguments.end(), parts.lists[k].begin(), parts.lists[k].end());
      return values_of(inlined_body(parts.graphs[i], arguments, span));
    };
  };
  define_all(outputs, loop(builder_, values_of(parts.lists[0]), body(0), body(1), "while_loop", span), scope, span);
}

}  // namespace sunmao::torch
