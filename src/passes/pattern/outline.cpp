#include "passes/pattern/outline.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "ir/walk.h"
#include "passes/pattern/binding_groups.h"

namespace sunmao {
namespace {

// Returns the variables that the bindings use in other ways than to take a field.
class WholeUses final : public Visitor {
 public:
  std::unordered_set<Ref<Var>> run(const std::vector<Binding>& members) {
    for (const Binding& b : members) Visitor::visit(b.value);
    return std::move(used_);
  }

 private:
  using Visitor::visit;
  void visit(const Var& v) override { used_.insert(Ref<Var>(&v)); }
  void visit(const TupleGetItem& item) override {
    if (!find<Var>(item.tuple)) Visitor::visit(item);
  }
  std::unordered_set<Ref<Var>> used_;
};

bool is_same_field(const Expr& a, const TupleGetItem& b) {
  const auto* item = find<TupleGetItem>(a);
  return item && item->tuple == b.tuple && item->index == b.index;
}

// Collects the free variables of bindings, the fields that they take of tuples, and constants if `with_constants`, in
// order of first use; the fields of one tuple stand together.
class Inputs final : public Visitor {
 public:
  Inputs(const std::vector<Binding>& members, bool with_constants)
      : members_(members), with_constants_(with_constants), whole_(WholeUses().run(members)) {}

  std::vector<Expr> run() {
    for (const Binding& b : members_) Visitor::visit(b.value);
    return std::move(inputs_);
  }

 private:
  using Visitor::visit;
  bool is_inside(const Ref<Var>& v) const {
    return std::ranges::any_of(members_, [&](const Binding& b) { return b.var == v; });
  }
  void visit(const Var& v) override {
    if (!is_inside(Ref<Var>(&v))) add(Expr(&v));
  }
  void visit(const TupleGetItem& item) override {
    Ref<Var> tuple = find_ref<Var>(item.tuple);
    if (!tuple || is_inside(tuple) || whole_.contains(tuple)) return Visitor::visit(item);
    if (std::ranges::any_of(inputs_, [&](const Expr& e) { return is_same_field(e, item); })) return;
    auto last = std::find_if(inputs_.rbegin(), inputs_.rend(), [&](const Expr& e) {
      const auto* other = find<TupleGetItem>(e);
      return other && other->tuple == item.tuple;
    });
    inputs_.insert(last == inputs_.rend() ? inputs_.end() : last.base(), Expr(&item));
  }
  void visit_leaf(const Expr& e) override {
    if (with_constants_ && find<Constant>(e)) add(e);
  }
  void add(const Expr& e) {
    if (std::ranges::find(inputs_, e) == inputs_.end()) inputs_.push_back(e);
  }

  const std::vector<Binding>& members_;
  const bool with_constants_;
  const std::unordered_set<Ref<Var>> whole_;
  std::vector<Expr> inputs_;
};

// Rewrites values in terms of the function's parameters.
class InsideValues final : public Rewriter {
 public:
  void put(const Expr& input, const Expr& value) {
    if (Ref<Var> var = find_ref<Var>(input))
      replace(var, value);
    else if (find<TupleGetItem>(input))
      fields_.emplace_back(input, value);
    else
      constants_[input] = value;
  }
  Expr run(const Expr& value) { return Rewriter::visit(value); }

 private:
  using Rewriter::visit;
  Expr visit(const TupleGetItem& item) override {
    for (const auto& [field, value] : fields_)
      if (is_same_field(field, item)) return value;
    return Rewriter::visit(item);
  }
  Expr visit_leaf(const Expr& e) override {
    auto it = constants_.find(e);
    return it == constants_.end() ? e : it->second;
  }
  std::unordered_map<Expr, Expr> constants_;
  std::vector<std::pair<Expr, Expr>> fields_;
};

// Returns the value of a variable that is bound to a constant shape; null for other inputs.
Expr constant_shape(const Expr& input, const std::unordered_map<Ref<Var>, Expr>& values) {
  auto it = values.find(find_ref<Var>(input));
  const auto* shape = it == values.end() ? nullptr : find<ShapeExpr>(it->second);
  bool is_fixed = shape && std::ranges::all_of(shape->values, [](const Scalar& s) { return find<IntImm>(s); });
  return is_fixed ? it->second : Expr();
}

std::string param_name(const Expr& input, size_t index) {
  if (const auto* var = find<Var>(input)) return var->name;
  if (const auto* item = find<TupleGetItem>(input))
    return fmt::format("{}_{}", find<Var>(item->tuple)->name, item->index);
  return fmt::format("param_{}", index);
}

}  // namespace

Outlined outline(const std::vector<Binding>& members, const std::vector<Ref<Var>>& outputs, Attrs attrs,
                 const OutlineOptions& options) {
  InsideValues inside;
  std::vector<Ref<Var>> params;
  Outlined out;
  for (const Expr& input : Inputs(members, !options.bind_constants).run()) {
    if (Expr known = constant_shape(input, options.values)) {
      inside.put(input, known);
      continue;
    }
    params.push_back(Var::make(param_name(input, params.size()), input->type));
    inside.put(input, params.back());
    Expr arg = input;
    if (find<TupleGetItem>(input)) {
      Ref<Var> field = Var::make_dataflow("lv", input->type);
      out.fields.push_back({field, input, nullptr, input->span});
      arg = field;
    }
    out.args.push_back(arg);
  }
  std::vector<Binding> bindings;
  std::unordered_map<Ref<Var>, Expr> results;
  for (const Binding& b : members) {
    const bool leaves = std::ranges::find(outputs, b.var) != outputs.end();
    Expr value = inside.run(b.value);
    if (find<TupleGetItem>(b.value) && find<Var>(value)) {
      inside.put(b.var, value);
      results[b.var] = value;
      continue;
    }
    Ref<Var> var = leaves ? Var::make(b.var->name, value->type) : Var::make_dataflow(b.var->name, value->type);
    inside.put(b.var, var);
    results[b.var] = var;
    bindings.push_back({var, value, nullptr, b.span});
  }
  std::vector<Expr> fields;
  for (const Ref<Var>& v : outputs) fields.push_back(results.at(v));
  Expr result = fields.size() == 1 ? fields[0] : Tuple::make(fields);
  Ref<SeqExpr> body = SeqExpr::make({BindingBlock::make_dataflow(std::move(bindings))}, result);
  out.function = close_function(std::move(params), body, std::move(attrs), out.args);
  return out;
}

}  // namespace sunmao
