#include "passes/analysis/variables.h"

#include "ir/type_relation.h"

namespace sunmao {
namespace {

// A list of unique elements in insertion order.
template <class T>
class OrderedSet {
 public:
  void add(const T& value) {
    if (known_.insert(value).second) list_.push_back(value);
  }
  bool contains(const T& value) const { return known_.contains(value); }
  std::vector<T> take() { return std::move(list_); }
  const std::vector<T>& list() const { return list_; }

 private:
  std::vector<T> list_;
  std::unordered_set<T> known_;
};

class Variables final : public Visitor {
 public:
  enum class Kind { Declared, Used, Both };
  explicit Variables(Kind kind) : kind_(kind) {}
  OrderedSet<Ref<Var>> found;
  using Visitor::visit;

 private:
  void visit(const Var& v) override {
    if (kind_ != Kind::Declared) found.add(Ref<Var>(&v));
  }
  void declare(const Ref<Var>& v) {
    if (kind_ != Kind::Used) found.add(v);
  }
  void visit(const Binding& b) override {
    Visitor::visit(b);
    declare(b.var);
  }
  void visit(const Function& f) override {
    for (const Ref<Var>& p : f.params) declare(p);
    Visitor::visit(f);
  }
  const Kind kind_;
};

std::vector<Ref<Var>> variables(const Expr& e, Variables::Kind kind) {
  Variables v(kind);
  v.visit(e);
  return v.found.take();
}

class GlobalVars final : public Visitor {
 public:
  explicit GlobalVars(bool only_called) : only_called_(only_called) {}
  std::vector<Ref<GlobalVar>> found;  // one of each name
  using Visitor::visit;

 private:
  void visit_leaf(const Expr& e) override {
    if (!only_called_) add(e);
  }
  void visit(const Call& call) override {
    if (only_called_) {
      add(call.callee);
      if (op_of(call) && !call.args.empty()) add(call.args[0]);
    }
    Visitor::visit(call);
  }
  void add(const Expr& e) {
    Ref<GlobalVar> g = find_ref<GlobalVar>(e);
    if (g && names_.insert(g->name).second) found.push_back(g);
  }
  const bool only_called_;
  std::unordered_set<std::string> names_;
};

// Symbols that an expression defines and uses. What a function inside defines holds in that function alone.
class Symbols final : public Visitor {
 public:
  OrderedSet<Ref<SymVar>> defined;
  using Visitor::visit;

  std::vector<Ref<SymVar>> free() const {
    std::vector<Ref<SymVar>> out;
    for (const Ref<SymVar>& s : used_.list())
      if (!in_scope_.contains(s)) out.push_back(s);
    return out;
  }
  void visit_whole(const Function& f) {
    for (const Ref<Var>& p : f.params) define(p->type);
    for (const Ref<Var>& p : f.params) use(p->type);
    Visitor::visit(f);
    use(f.result_type);
  }

 private:
  void use(const Type& t) {
    if (!t) return;
    for (const Ref<SymVar>& s : unbound_symbols(t)) used_.add(s);
  }
  void define(const Type& t) {
    for (const Ref<SymVar>& s : definable_symbols(t)) {
      defined.add(s);
      in_scope_.add(s);
    }
  }
  void visit(const Call& call) override {
    for (const Type& t : call.type_args) use(t);
    Visitor::visit(call);
  }
  void visit(const Binding& b) override {
    Visitor::visit(b);
    if (b.is_match_cast()) {
      define(b.cast_type);
      use(b.cast_type);
    }
    use(b.var->type);
  }
  void visit(const Function& f) override {
    Symbols inside;
    inside.visit_whole(f);
    for (const Ref<SymVar>& s : inside.defined.list()) defined.add(s);
    for (const Ref<SymVar>& s : inside.free()) used_.add(s);
  }
  void visit_leaf(const Expr& e) override {
    if (find<ShapeExpr>(e) || find<PrimValue>(e)) use(e->type);
  }

  OrderedSet<Ref<SymVar>> in_scope_, used_;
};

class Bindings final : public Visitor {
 public:
  std::vector<Binding> found;
  using Visitor::visit;

 private:
  void visit(const Binding& b) override {
    Visitor::visit(b);
    found.push_back(b);
  }
};

}  // namespace

std::vector<Ref<Var>> bound_vars(const Expr& e) { return variables(e, Variables::Kind::Declared); }
std::vector<Ref<Var>> all_vars(const Expr& e) { return variables(e, Variables::Kind::Both); }
std::vector<Ref<Var>> used_vars(const Expr& e) { return variables(e, Variables::Kind::Used); }

std::vector<Ref<GlobalVar>> all_global_vars(const Expr& e) {
  GlobalVars v(/*only_called=*/false);
  v.visit(e);
  return std::move(v.found);
}

std::vector<Ref<GlobalVar>> called_global_vars(const Expr& e) {
  GlobalVars v(/*only_called=*/true);
  v.visit(e);
  return std::move(v.found);
}

std::vector<Ref<SymVar>> defined_symbolic_vars(const Expr& e) {
  Symbols v;
  v.visit(e);
  return v.defined.take();
}

std::vector<Ref<SymVar>> free_symbolic_vars(const Expr& e) {
  Symbols v;
  v.visit(e);
  return v.free();
}

std::map<std::string, std::vector<Binding>> name_to_binding(const Expr& e) {
  Bindings v;
  v.visit(e);
  std::map<std::string, std::vector<Binding>> out;
  for (const Binding& b : v.found) out[b.var->name].push_back(b);
  return out;
}

std::unordered_map<Ref<Var>, Expr> var_to_value(const Expr& e) {
  Bindings v;
  v.visit(e);
  std::unordered_map<Ref<Var>, Expr> out;
  for (const Binding& b : v.found) out[b.var] = b.value;
  return out;
}

std::unordered_map<Ref<Var>, int> count_uses(const Expr& e) {
  class Counter final : public Visitor {
   public:
    std::unordered_map<Ref<Var>, int> count;
    using Visitor::visit;

   private:
    void visit(const Var& v) override { ++count[Ref<Var>(&v)]; }
  };
  Counter counter;
  counter.visit(e);
  return std::move(counter.count);
}

std::unordered_map<std::string, std::string> first_callers(const Module& module) {
  std::unordered_map<std::string, std::string> callers;
  for (const FunctionEntry& e : module.functions())
    if (find<Function>(Expr(e.func)))
      for (const Ref<GlobalVar>& v : all_global_vars(Expr(e.func))) callers.try_emplace(v->name, e.var->name);
  return callers;
}

std::vector<VarUses> use_def_chains(const BindingBlock& block) {
  std::vector<VarUses> out;
  std::unordered_map<Ref<Var>, size_t> at;
  auto entry = [&](const Ref<Var>& v) -> VarUses& {
    auto [it, inserted] = at.try_emplace(v, out.size());
    if (inserted) out.push_back({v, {}});
    return out[it->second];
  };
  for (const Binding& b : block.bindings) {
    for (const Ref<Var>& v : free_vars(b.value))
      if (v != b.var) entry(v).users.push_back(b.var);
    entry(b.var);
  }
  return out;
}

}  // namespace sunmao
