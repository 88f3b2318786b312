// LiftTransformParams. The transform takes one tuple, the raw weights in the order of the parameters behind
// `num_input`, and gives one tuple: first the weights that the function still reads, in that order, then what was
// lifted, in the order of its bindings. The function takes those in their place, under their own names.
#include <algorithm>

#include "ir/builder.h"
#include "ir/copy.h"
#include "passes/graph/graph_passes.h"
#include "passes/graph/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// On the transform: the name of its function, and the raw weights' names.
constexpr const char* kTransformOfAttr = "sunmao.param_transform_of";
constexpr const char* kWeightNamesAttr = "sunmao.weight_names";

struct Split {
  std::vector<Ref<Var>> inputs, weights;
  WeightDependence dependence;
  std::vector<Ref<Var>> outputs;          // what the function still needs of weights and of lifted values
  std::vector<Ref<SymVar>> lost_symbols;  // used at run time, but only weights that are gone defined them
};

// What the body of the function still uses once lifted bindings are gone.
class RuntimeUses final : public Visitor {
 public:
  explicit RuntimeUses(const std::unordered_set<Ref<Var>>& lifted) : lifted_(lifted) {}
  std::unordered_set<Ref<Var>> vars;
  std::vector<Ref<SymVar>> symbols;
  using Visitor::visit;

  void need(const Type& type) {
    for (const Ref<SymVar>& s : free_symbols(type))
      if (std::ranges::find(symbols, s) == symbols.end()) symbols.push_back(s);
  }

 private:
  void visit(const Var& v) override { vars.insert(Ref<Var>(&v)); }
  void visit(const Binding& b) override {
    if (lifted_.contains(b.var)) return;
    Visitor::visit(b.value);
    if (b.is_match_cast())
      for (const Ref<SymVar>& s : defined_symbols(b.cast_type)) own_.push_back(s);
    need(b.var->type);
    std::erase_if(symbols, [&](const Ref<SymVar>& s) { return std::ranges::find(own_, s) != own_.end(); });
  }
  void visit_leaf(const Expr& e) override {
    if (find<ShapeExpr>(e) || find<PrimValue>(e)) need(e->type);
  }
  const std::unordered_set<Ref<Var>>& lifted_;
  std::vector<Ref<SymVar>> own_;
};

Split split_function(const Function& f, size_t inputs, const Module& module) {
  Split s{.inputs = {f.params.begin(), f.params.begin() + static_cast<std::ptrdiff_t>(inputs)},
          .weights = {f.params.begin() + static_cast<std::ptrdiff_t>(inputs), f.params.end()},
          .dependence = find_weight_dependence(f, inputs, module),
          .outputs = {},
          .lost_symbols = {}};
  RuntimeUses uses(s.dependence.weight_only);
  uses.visit(Expr(f.body));
  if (f.result_type) uses.need(f.result_type);
  std::vector<Ref<SymVar>> defined;
  auto define = [&](const Ref<Var>& v) {
    for (const Ref<SymVar>& symbol : defined_symbols(v->type)) defined.push_back(symbol);
    uses.need(v->type);
  };
  for (const Ref<Var>& v : s.inputs) define(v);
  for (const Ref<Var>& w : s.weights)
    if (uses.vars.contains(w)) s.outputs.push_back(w);
  for (const Binding& b : s.dependence.bindings)
    if (s.dependence.weight_only.contains(b.var) && uses.vars.contains(b.var)) s.outputs.push_back(b.var);
  for (const Ref<Var>& v : s.outputs) define(v);
  std::vector<Ref<SymVar>> weight_symbols;
  for (const Ref<Var>& w : s.weights)
    for (const Ref<SymVar>& symbol : defined_symbols(w->type)) weight_symbols.push_back(symbol);
  for (const Ref<SymVar>& symbol : uses.symbols) {
    bool lost = std::ranges::find(defined, symbol) == defined.end() &&
                std::ranges::find(weight_symbols, symbol) != weight_symbols.end();
    if (lost && std::ranges::find(s.lost_symbols, symbol) == s.lost_symbols.end()) s.lost_symbols.push_back(symbol);
  }
  return s;
}

// The bindings that compute `outputs`, with what they need, in order.
std::vector<Binding> needed_bindings(const Split& s) {
  std::unordered_set<Ref<Var>> needed(s.outputs.begin(), s.outputs.end());
  std::vector<Binding> out;
  for (auto b = s.dependence.bindings.rbegin(); b != s.dependence.bindings.rend(); ++b) {
    if (!needed.contains(b->var)) continue;
    for (const Ref<Var>& v : free_vars(b->value)) needed.insert(v);
    out.push_back(*b);
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<Scalar> as_scalars(const std::vector<Ref<SymVar>>& symbols) { return {symbols.begin(), symbols.end()}; }

// Builds the transform: what `old` computed (or the raw weights), then the new bindings, then the tuple of outputs.
class TransformBuilder {
 public:
  Ref<Function> build(const Split& s, const Ref<Function>& old, Attrs attrs) {
    std::vector<Expr> raw = old ? splice(*old) : unpack(s.weights);
    SUNMAO_CHECK(raw.size() == s.weights.size(), "the transform gives {} values for {} parameters", raw.size(),
                 s.weights.size());
    for (size_t i = 0; i < raw.size(); ++i) copy_.map(s.weights[i], raw[i]);
    for (const Binding& b : needed_bindings(s)) {
      Expr value = copy_.copy(b.value);
      copy_.map(b.var, bind(b.var->name, value, copy_.copy(b.var->type), b.span));
    }
    std::vector<Expr> fields;
    if (!s.lost_symbols.empty()) fields.push_back(copy_.copy(ShapeExpr::make(as_scalars(s.lost_symbols))));
    for (const Ref<Var>& v : s.outputs) fields.push_back(copy_.copy(Expr(v)));
    Expr tuple = Tuple::make(std::move(fields));
    Ref<Var> result = Var::make("gv", tuple->type);
    bindings_.push_back({result, tuple, nullptr, {}});
    Ref<SeqExpr> body = SeqExpr::make({BindingBlock::make_dataflow(std::move(bindings_))}, result);
    return Function::make({param_}, body, nullptr, true, std::move(attrs));
  }

 private:
  Expr bind(const std::string& name, Expr value, Type type, Span span) {
    Ref<Var> var = Var::make_dataflow(name, std::move(type), span);
    bindings_.push_back({var, std::move(value), nullptr, std::move(span)});
    return var;
  }

  std::vector<Expr> unpack(const std::vector<Ref<Var>>& weights) {
    std::vector<Ref<Var>> fresh;
    std::vector<Type> types;
    for (const Ref<Var>& w : weights) fresh.push_back(copy_.define(w));
    for (const Ref<Var>& w : weights) types.push_back(copy_.copy(w->type));
    param_ = Var::make("model_params", TupleType::make(types));
    std::vector<Expr> raw;
    for (size_t i = 0; i < weights.size(); ++i)
      raw.push_back(
          bind(weights[i]->name, TupleGetItem::make(param_, static_cast<int>(i)), types[i], weights[i]->span));
    return raw;
  }

  // The old transform's bindings come first; its results stand where the raw weights stood.
  std::vector<Expr> splice(const Function& old) {
    Ref<Function> fresh = FreshCopy().copy(Ref<Function>(&old));
    param_ = fresh->params[0];
    std::unordered_map<Ref<Var>, Expr> values;
    for (const Ref<BindingBlock>& block : fresh->body->blocks)
      for (const Binding& b : block->bindings) {
        bindings_.push_back(b);
        values[b.var] = b.value;
      }
    Expr result = fresh->body->body;
    if (auto it = values.find(find_ref<Var>(result)); it != values.end() && find<Tuple>(it->second)) {
      std::erase_if(bindings_, [&](const Binding& b) { return Expr(b.var) == result; });
      result = it->second;
    }
    if (const auto* tuple = find<Tuple>(result)) return tuple->fields;
    std::vector<Expr> fields;
    const auto* type = find<TupleType>(result->type);
    for (size_t i = 0; type && i < type->fields.size(); ++i)
      fields.push_back(bind("param", TupleGetItem::make(result, static_cast<int>(i)), type->fields[i], {}));
    return fields;
  }

  FreshCopy copy_;
  Ref<Var> param_;
  std::vector<Binding> bindings_;
};

// The function without what was lifted; outputs of the transform are its parameters.
class Remainder final : public Rewriter {
 public:
  Ref<Function> build(const Function& f, const Split& s, Attrs attrs) {
    for (const Ref<Var>& v : s.dependence.weight_only) lifted_.insert(v);
    std::vector<Ref<Var>> params = s.inputs;
    if (!s.lost_symbols.empty())
      params.push_back(Var::make("vars_from_compile_time_params", ShapeType::make(as_scalars(s.lost_symbols))));
    // Prepared weights are data with a name, so no two parameters share one.
    NameSupply names;
    for (const Ref<Var>& p : params) names.reserve(p->name);
    for (const Ref<Var>& v : s.outputs) {
      std::string name = names.fresh(v->name);
      bool is_param = std::ranges::find(f.params, v) != f.params.end();
      Ref<Var> param = is_param && name == v->name ? v : Var::make(name, v->type, v->span);
      if (param != v) replace(v, param);
      params.push_back(param);
    }
    Ref<SeqExpr> body = visit_seq(f.body);
    return Function::make(std::move(params), body, f.result_type, f.is_pure, std::move(attrs), f.span);
  }

 private:
  using Rewriter::visit;
  void visit(const Binding& b) override {
    if (!lifted_.contains(b.var)) Rewriter::visit(b);
  }
  std::unordered_set<Ref<Var>> lifted_;
};

class Lifter {
 public:
  explicit Lifter(const Module& module) : module_(module), out_(module) {}

  Module run() {
    bool any = false, has_function = false;
    for (const FunctionEntry& e : module_.functions()) {
      Ref<Function> f = find_ref<Function>(Expr(e.func));
      if (!f) continue;
      has_function = true;
      std::optional<size_t> inputs = num_input(*f, e.var->name);
      any |= inputs.has_value();
      if (inputs && !f->attrs.has(kTransformOfAttr)) lift(e.var->name, f, *inputs);
    }
    if (has_function && !any)
      fail("E0501", {}, "no function says how many of its parameters are run-time inputs",
           "add R.func_attr({\"num_input\": n}) to the entry point: the parameters behind the first n are weights");
    return out_;
  }

 private:
  void lift(const std::string& name, const Ref<Function>& f, size_t inputs) {
    Split s = split_function(*f, inputs, module_);
    Ref<Function> old = existing_transform(name, *f);
    bool nothing_new = s.outputs == s.weights && s.lost_symbols.empty();
    if (old && nothing_new) return;
    check_not_called(name, *f);
    std::string transform = name + "_transform_params";
    Attrs attrs = old ? old->attrs
                      : Attrs(AttrMap{{"num_input", 0},
                                      {"global_symbol", transform},
                                      {kTransformOfAttr, name},
                                      {kWeightNamesAttr, names(s.weights)}});
    Ref<Function> built = TransformBuilder().build(s, old, std::move(attrs));
    Ref<Function> rest = Remainder().build(*f, s, f->attrs.with(kParamTransformAttr, transform));
    out_ = out_.with_functions({{module_.find_var(name), rest}, {variable(transform), built}});
  }

  Ref<GlobalVar> variable(const std::string& name) const {
    Ref<GlobalVar> known = module_.find_var(name);
    return known ? known : GlobalVar::make(name);
  }

  static AttrValue names(const std::vector<Ref<Var>>& vars) {
    AttrList list;
    for (const Ref<Var>& v : vars) list.emplace_back(v->name);
    return AttrValue(std::move(list));
  }

  // The transform that an earlier run made: linked by the attribute, or of this name and exactly this signature.
  Ref<Function> existing_transform(const std::string& name, const Function& f) const {
    const std::string* linked = f.attr<std::string>(kParamTransformAttr);
    std::string transform = linked ? *linked : name + "_transform_params";
    Ref<BaseFunc> found = module_.find(transform);
    if (!found) return nullptr;
    Ref<Function> old = find_ref<Function>(Expr(found));
    const std::string* of = old ? old->attr<std::string>(kTransformOfAttr) : nullptr;
    if ((linked && of && *of == name) || (old && has_signature(*old, f))) return old;
    fail("E0503", found->span,
         fmt::format("`{}` is there already, and it is not the parameter transform of `{}`", transform, name),
         fmt::format("rename it, or link it with R.func_attr({{\"{}\": \"{}\"}}) if it prepares the weights of `{}`",
                     kTransformOfAttr, name, name));
  }

  static bool has_signature(const Function& old, const Function& f) {
    const auto* result = find<TupleType>(old.result_type);
    std::optional<size_t> inputs = num_input(f, "main");
    if (!result || !inputs || old.params.size() != 1 || !find<TupleType>(old.params[0]->type)) return false;
    if (result->fields.size() != f.params.size() - *inputs) return false;
    Analyzer analyzer;
    for (size_t i = 0; i < result->fields.size(); ++i)
      if (fits(f.params[*inputs + i]->type, result->fields[i], analyzer) == Fit::No) return false;
    return true;
  }

  void check_not_called(const std::string& name, const Function& f) const {
    class Finds final : public Visitor {
     public:
      explicit Finds(std::string n) : name(std::move(n)) {}
      std::string name;
      bool found = false;
      using Visitor::visit;

     private:
      void visit_leaf(const Expr& e) override { found |= find<GlobalVar>(e) && find<GlobalVar>(e)->name == name; }
    };
    for (const FunctionEntry& e : module_.functions()) {
      if (!find<Function>(Expr(e.func))) continue;
      Finds finds(name);
      finds.visit(Expr(e.func));
      if (finds.found)
        fail("E0504", f.span, fmt::format("`{}` has num_input, but `{}` calls it with raw weights", name, e.var->name),
             "only entry points have num_input; drop the attribute, or inline the function first");
    }
  }

  const Module& module_;
  Module out_;
};

}  // namespace

Module lift_transform_params(const Module& m, const PassContext&) { return Lifter(m).run(); }

}  // namespace sunmao
