#include "passes/lower/outlined_part.h"

#include <algorithm>

#include "ir/type_relation.h"
#include "ir/walk.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

// Collects the free variables of a sequence without local functions, in order of first use. A variable that a type
// names as a shape is used before the value of that type.
class CapturedVars final : public Visitor {
 public:
  std::vector<Ref<Var>> run(const SeqExpr& seq) {
    Visitor::visit(seq);
    return std::move(found_);
  }

 private:
  using Visitor::visit;
  void visit(const Var& v) override { use(Ref<Var>(&v)); }
  void visit(const Call& call) override {
    Visitor::visit(call);
    for (const Type& t : call.type_args) use_shapes(t);
  }
  void visit(const Binding& b) override {
    Visitor::visit(b);
    use_shapes(b.cast_type);
    use_shapes(b.var->type);
    known_.insert(b.var);
  }
  void use(const Ref<Var>& v) {
    if (!known_.insert(v).second) return;
    use_shapes(v->type);
    found_.push_back(v);
  }
  void use_shapes(const Type& t) {
    if (!t) return;
    if (const auto* tensor = find<TensorType>(t))
      if (const Ref<Var> shape = find_ref<Var>(tensor->shape)) use(shape);
    if (const auto* tuple = find<TupleType>(t))
      for (const Type& field : tuple->fields) use_shapes(field);
  }
  std::unordered_set<Ref<Var>> known_;
  std::vector<Ref<Var>> found_;
};

// The symbols that the part uses, does not define, and must be passed.
std::vector<Ref<SymVar>> symbols_to_pass(const SeqExpr& body, const std::vector<Ref<Var>>& params,
                                         const PartContext& context) {
  Symbols passed;
  std::vector<Ref<SymVar>> used;
  for (const Ref<Var>& p : params)
    for (const Ref<SymVar>& s : definable_symbols(p->type))
      if (p == context.first_param && context.known.contains(s))
        used.push_back(s);
      else
        passed.insert(s);
  std::ranges::copy(free_symbolic_vars(Function::make(params, Ref<SeqExpr>(&body), nullptr, true)),
                    std::back_inserter(used));
  std::ranges::copy(symbols_of_bindings(body), std::back_inserter(used));
  std::erase_if(used, [&](const Ref<SymVar>& s) { return !context.known.contains(s) || !passed.insert(s).second; });
  return used;
}

void pass_symbols(const std::vector<Ref<SymVar>>& symbols, std::vector<Ref<Var>>& params, std::vector<Expr>& args) {
  std::vector<Scalar> sizes;
  for (const Ref<SymVar>& s : symbols) {
    if (s->dtype == DType::int_(64)) {
      sizes.emplace_back(s);
    } else {
      params.push_back(Var::make(s->name, PrimType::of_value(s)));
      args.push_back(PrimValue::make(s));
    }
  }
  if (sizes.empty()) return;
  params.push_back(Var::make("symbols", ShapeType::make(sizes)));
  args.push_back(ShapeExpr::make(std::move(sizes)));
}

// Returns the type of the body's result in terms of the parameters.
Type result_type(const std::vector<Ref<Var>>& params, const SeqExpr& body) {
  Substitution symbols;
  std::unordered_map<Ref<Var>, Expr> shapes;
  for (const Ref<Var>& p : params) {
    shapes.emplace(p, p);
    for (const Ref<SymVar>& s : definable_symbols(p->type)) symbols.emplace(s, s);
  }
  return erase_to_well_defined(body.type, symbols, shapes);
}

bool has_local_functions(const Function& f) {
  class Search final : public Visitor {
   public:
    bool any = false;
    using Visitor::visit;

   private:
    void visit(const Function&) override { any = true; }
  };
  Search search;
  search.visit(Expr(f.body));
  return search.any;
}

}  // namespace

OutlinedPart outlined_part(const Ref<SeqExpr>& body, const PartContext& context) {
  std::vector<Ref<Var>> params = CapturedVars().run(*body);
  std::vector<Expr> args;
  if (context.first_param) {
    std::erase(params, context.first_param);
    params.insert(params.begin(), context.first_param);
  }
  for (const Ref<Var>& p : params) args.push_back(p == context.first_param ? context.first_arg : Expr(p));
  pass_symbols(symbols_to_pass(*body, params, context), params, args);
  return {Function::make(params, body, result_type(params, *body), context.is_pure, {}, body->span), args};
}

std::vector<Ref<SymVar>> symbols_of(const Binding& b) {
  if (b.is_match_cast()) return definable_symbols(b.cast_type);
  return find<PrimType>(b.var->type) ? defined_symbols(b.var->type) : std::vector<Ref<SymVar>>();
}

std::vector<Ref<SymVar>> symbols_of_bindings(const SeqExpr& seq) {
  class Search final : public Visitor {
   public:
    std::vector<Ref<SymVar>> found;
    using Visitor::visit;

   private:
    void visit(const Binding& b) override {
      Visitor::visit(b);
      std::ranges::copy(symbols_of(b), std::back_inserter(found));
    }
  };
  Search search;
  search.visit(Expr(&seq));
  return std::move(search.found);
}

Module with_parts_outlined(const Module& m, const OutlineFn& outline) {
  NameSupply names;
  for (const FunctionEntry& e : m.functions()) names.reserve(e.var->name);
  std::vector<FunctionEntry> entries, outlined;
  for (const FunctionEntry& e : m.functions()) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f || has_local_functions(*f)) continue;
    const Ref<Function> rest = outline({e.var->name, f, names, outlined});
    if (rest != f) entries.push_back({e.var, rest});
  }
  if (entries.empty()) return m;
  std::ranges::move(outlined, std::back_inserter(entries));
  return m.with_functions(std::move(entries));
}

}  // namespace sunmao
