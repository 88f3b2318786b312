// Graph-level functions as scripts write them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/equal.h"
#include "ir/op.h"
#include "ir/walk.h"
#include "script/printer.h"
#include "script/spelling.h"

namespace sunmao::script {
namespace {

// The variables that a function reads.
class UsedVars final : public Visitor {
 public:
  explicit UsedVars(const Function& f) { Visitor::visit(f); }
  std::unordered_set<const ExprNode*> used;

 protected:
  using Visitor::visit;
  void visit(const Var& var) override { used.insert(&var); }
};

class RelaxPrinter final : public Printer {
 public:
  explicit RelaxPrinter(PrintState& state) : Printer(state, DType::int_(64)) {}

  void function(const Function& f, const std::string& name, Lines& out) {
    Lines body(state_.options.indent_spaces);
    body.set_level(out.level() + 1);
    body_ = &body;
    used_ = UsedVars(f).used;
    std::string head = signature(f, state_.function_name(name));
    std::string attrs = attributes(f, &name);
    sequence(*f.body);
    body.add("return " + expr(f.body->body));
    out.add(decorator(f, &name));
    out.add(head);
    out.indent();
    if (!attrs.empty()) out.add(attrs);
    for (const std::string& line : declarations_) out.add(line);
    const std::string& alias = state_.options.module_alias;
    if (uses_module_ && !alias.empty()) out.add(alias + " = Module");
    out.dedent();
    out.append(body);
  }

  std::string lone(const Expr& e) {
    return lone([&] {
      std::string text = expr(e);
      body_->add(text);
    });
  }

  std::string lone(const Binding& b) {
    used_.insert(b.var.get());
    return lone([&] { binding(b); });
  }

  std::string lone(const BindingBlock& block) {
    for (const Binding& b : block.bindings) used_.insert(b.var.get());
    return lone([&] {
      if (block.is_dataflow) return dataflow(block);
      for (const Binding& b : block.bindings) binding(b);
    });
  }

 private:
  std::string lone(const std::function<void()>& print) {
    return alone([&] {
      Lines lines(state_.options.indent_spaces);
      body_ = &lines;
      print();
      return lines.text();
    });
  }

  // `name` is that of a function of the module; functions inside others have none of that kind.
  std::string decorator(const Function& f, const std::string* name) const {
    std::vector<std::string> parts;
    if (!f.is_pure) parts.push_back("pure=False");
    if (name && !f.attrs.has("global_symbol")) parts.push_back("private=True");
    if (name && state_.function_name(*name) != *name) parts.push_back(global_name_argument(state_, *name));
    return parts.empty() ? "@R.function" : fmt::format("@R.function({})", fmt::join(parts, ", "));
  }

  std::string attributes(const Function& f, const std::string* name) {
    static const std::string kSymbol = "global_symbol";
    const std::string* symbol = f.attrs.find<std::string>(kSymbol);
    bool is_told = name && symbol && *symbol == *name;
    if (f.attrs.values().size() <= (is_told ? 1 : 0)) return {};
    bool around = std::exchange(in_attributes_, true);
    std::string text = map(f.attrs.values(), is_told ? &kSymbol : nullptr);
    in_attributes_ = around;
    return fmt::format("R.func_attr({})", text);
  }

  static constexpr const char* kDtypeAlone = "R.Prim(dtype=\"{}\")";

  // A scalar that its own symbol stands for has the symbol's name.
  std::string parameter(const Var& p) {
    const auto* prim = find<PrimType>(p.type);
    bool is_dim = prim && prim->dtype == DType::int_(64);
    const auto* own = is_dim ? find<SymVar>(prim->value) : nullptr;
    if (own && own->name == p.name && !names_.find(own)) {
      std::string name = names_.define(&p, p.name);
      names_.set_text(own, name);
      own_symbols_.insert(own);
      state_.uses_tir = true;
      return name + ": T.int64";
    }
    std::string type_text = is_dim && !prim->value ? fmt::format(fmt::runtime(kDtypeAlone), "int64") : type(p.type);
    return fmt::format("{}: {}", names_.define(&p, p.name), type_text);
  }

  std::string signature(const Function& f, const std::string& name) {
    bool outer = std::exchange(quote_dims_, true);
    std::vector<std::string> parts;
    for (const Ref<Var>& p : f.params) parts.push_back(parameter(*p));
    std::string result = f.result_type ? " -> " + type(f.result_type) : "";
    quote_dims_ = outer;
    return fmt::format("def {}({}){}:", name, fmt::join(parts, ", "), result);
  }

  void sequence(const SeqExpr& seq) {
    const BindingBlock* before = nullptr;
    for (const Ref<BindingBlock>& block : seq.blocks) {
      if (block->is_dataflow) {
        dataflow(*block);
      } else {
        if (before && !before->is_dataflow) body_->add("pass");  // keeps two blocks two
        for (const Binding& b : block->bindings) binding(b);
      }
      before = block.get();
    }
  }

  void dataflow(const BindingBlock& block) {
    body_->add("with R.dataflow():");
    body_->indent();
    std::vector<std::string> outputs;
    bool around = std::exchange(in_dataflow_, true);
    for (const Binding& b : block.bindings) {
      binding(b);
      if (!b.var->is_dataflow) outputs.push_back(*names_.find(b.var.get()));
    }
    in_dataflow_ = around;
    body_->add(fmt::format("R.output({})", fmt::join(outputs, ", ")));
    body_->dedent();
  }

  std::string annotated(const std::string& name, const Var& var, const Type& known, bool hides = false) {
    bool told = known && var.type && (known == var.type || structural_equal(known, var.type));
    const auto *prim = find<PrimType>(var.type), *value = find<PrimType>(known);
    if (told && prim && prim->value) return fmt::format("{}: {}", name, type(PrimType::make(prim->dtype)));
    if (prim && !prim->value && value && value->value)
      return fmt::format("{}: {}", name, fmt::format(fmt::runtime(kDtypeAlone), prim->dtype.str()));
    if (!var.type || (told && (hides || !state_.options.show_types))) return name;
    return fmt::format("{}: {}", name, type(var.type));
  }

  // The last binding of a branch has its name already.
  std::string name_for(const Var& var) {
    const std::string* known = names_.find(&var);
    return known ? *known : names_.define(&var, var.name);
  }

  void binding(const Binding& b) {
    if (const auto* branch = find<If>(b.value)) return branch_binding(*branch, *b.var);
    if (const auto* nested = find<Function>(b.value)) return nested_function(*nested, *b.var);
    std::string value = expr(b.value);
    if (b.is_match_cast()) {
      value = fmt::format("R.match_cast({}, {})", value, type(b.cast_type));
      bool told = b.var->type == b.cast_type || (b.var->type && structural_equal(b.var->type, b.cast_type));
      std::string name = name_for(*b.var);
      bool is_short = told && !state_.options.show_types;
      body_->add(fmt::format("{} = {}", is_short ? name : annotated(name, *b.var, nullptr), value));
      return;
    }
    if (is_statement(b)) return body_->add(value);
    std::string name = name_for(*b.var);
    body_->add(fmt::format("{} = {}", annotated(name, *b.var, b.value->type, states_type(b.value)), value));
  }

  // A call for its effect, whose empty result nothing uses.
  bool is_statement(const Binding& b) const {
    const auto *value = find<TupleType>(b.value->type), *var = find<TupleType>(b.var->type);
    return find<Call>(b.value) && value && var && value->fields.empty() && var->fields.empty() &&
           b.var->is_dataflow == in_dataflow_ && !used_.contains(b.var.get());
  }

  // `out_ty=` says it already.
  static bool states_type(const Expr& value) {
    const auto* c = find<Call>(value);
    const Op* op = c ? op_of(*c) : nullptr;
    return op && (op->name() == "call_tir" || op->name() == "call_dps_packed");
  }

  void branch_binding(const If& branch, const Var& var) {
    std::string condition = expr(branch.condition);
    std::string name = name_for(var);
    body_->add(fmt::format("if {}:", condition));
    branch_body(*branch.then_branch, name, var, branch.type);
    body_->add("else:");
    branch_body(*branch.else_branch, name, var, branch.type);
  }

  // A branch ends by binding the name of the whole. A computed value that is bound last takes that name itself.
  void branch_body(const SeqExpr& seq, const std::string& name, const Var& var, const Type& type_of_branch) {
    body_->indent();
    const Binding* last = nullptr;
    if (!seq.blocks.empty() && !seq.blocks.back()->is_dataflow && !seq.blocks.back()->bindings.empty())
      last = &seq.blocks.back()->bindings.back();
    bool is_named = last && Expr(last->var) == seq.body && (last->is_match_cast() || !is_leaf(last->value)) &&
                    var.type && last->var->type && type_of_branch && structural_equal(var.type, last->var->type) &&
                    structural_equal(var.type, type_of_branch);
    if (is_named) names_.set_text(last->var.get(), name);
    sequence(seq);
    if (!is_named) {
      std::string value = expr(seq.body);
      body_->add(fmt::format("{} = {}", annotated(name, var, nullptr), value));
    }
    body_->dedent();
  }

  void nested_function(const Function& f, const Var& var) {
    std::string name = name_for(var);
    std::string head = signature(f, name);
    body_->add(decorator(f, nullptr));
    body_->add(head);
    body_->indent();
    std::string attrs = attributes(f, nullptr);
    if (!attrs.empty()) body_->add(attrs);
    sequence(*f.body);
    body_->add("return " + expr(f.body->body));
    body_->dedent();
  }

  // What the dialect has no place for inside an expression is bound before it.
  std::string hoisted(const Expr& e, const char* hint) {
    Ref<Var> var = Var::make(hint, e->type);
    if (const auto* seq = find<SeqExpr>(e)) {
      sequence(*seq);
      return expr(seq->body);
    }
    hoisted_.push_back(var);
    binding({var, e, nullptr, e->span});
    return *names_.find(var.get());
  }

  std::string expr(const Expr& e) override {
    switch (e->kind) {
      case ExprKind::GlobalVar: {
        std::string name = state_.function_name(find<GlobalVar>(e)->name);
        uses_module_ |= state_.module != nullptr && !in_attributes_;
        std::string alias = in_attributes_ ? "" : state_.options.module_alias;  // they stand before it is bound
        return state_.module ? (alias.empty() ? "Module" : alias) + "." + name : name;
      }
      case ExprKind::Call: return call(*find<Call>(e));
      case ExprKind::PrimValue: {
        // The bare name would be the parameter.
        const auto* symbol = find<SymVar>(find<PrimValue>(e)->value);
        std::string text = Printer::expr(e);
        return symbol && own_symbols_.contains(symbol) ? fmt::format("R.prim_value(value={})", text) : text;
      }
      case ExprKind::If:
      case ExprKind::SeqExpr: return hoisted(e, "value");
      case ExprKind::Function: return hoisted(e, "func");
      default: return Printer::expr(e);
    }
  }

  std::vector<std::string> exprs(const std::vector<Expr>& list, size_t from = 0) {
    std::vector<std::string> out;
    for (size_t i = from; i < list.size(); ++i) out.push_back(expr(list[i]));
    return out;
  }

  std::string types(const std::vector<Type>& list) {
    if (list.size() == 1) return type(list[0]);
    std::vector<std::string> parts;
    for (const Type& t : list) parts.push_back(type(t));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }

  // The callee of a packed call: an extern function by its name alone.
  std::string callee(const Expr& e) {
    const auto* extern_func = find<ExternFunc>(e);
    const bool is_named = extern_func && extern_func->attrs.empty() && is_plain_extern_type(extern_func->type);
    return is_named ? quote(extern_func->name) : expr(e);
  }

  std::string call(const Call& c) {
    std::vector<std::string> parts;
    if (const Op* op = op_of(c)) return op_call(*op, c);
    if (find<ExternFunc>(c.callee)) {
      parts = exprs(c.args);
      parts.insert(parts.begin(), callee(c.callee));
      keywords(c, parts);
      return fmt::format("R.call_packed({})", fmt::join(parts, ", "));
    }
    std::string function = expr(c.callee);
    return fmt::format("{}({})", function, fmt::join(exprs(c.args), ", "));
  }

  // In the order of the record; what it does not know comes last.
  void attributes(const Call& c, std::vector<std::string>& parts) {
    const Op* op = op_of(c);
    if (op)
      for (const OpParam& p : op->info.params)
        if (const AttrValue* v = c.attrs.find(p.name)) parts.push_back(p.name + "=" + named_value(p.name, *v));
    for (const auto& [name, v] : c.attrs.values())
      if (!op || !op->find_param(name)) parts.push_back(name + "=" + named_value(name, v));
  }

  void keywords(const Call& c, std::vector<std::string>& parts) {
    attributes(c, parts);
    type_args(c, parts);
  }

  void type_args(const Call& c, std::vector<std::string>& parts) {
    if (c.type_args.empty()) return;
    std::vector<std::string> list;
    for (const Type& t : c.type_args) list.push_back(type(t));
    parts.push_back("ty_args=" + tuple(list));
  }

  std::string op_call(const Op& op, const Call& c) {
    const std::string& name = op.name();
    std::vector<std::string> parts;
    bool is_tir = name == "call_dps_packed" || name.starts_with("call_tir");
    if (is_tir && c.args.size() >= 2) {
      parts = {callee(c.args[0]), expr(c.args[1])};
      if (!c.type_args.empty()) parts.push_back("out_ty=" + types(c.type_args));
      attributes(c, parts);
      if (c.args.size() > 2) parts.push_back("tir_vars=" + expr(c.args[2]));
    } else if (name == "call_pure_packed" && c.args.size() == 2) {
      parts.push_back(callee(c.args[0]));
      if (const auto* args = find<Tuple>(c.args[1])) {
        for (std::string& a : exprs(args->fields)) parts.push_back(std::move(a));
      } else {
        parts.push_back("*" + expr(c.args[1]));
      }
      keywords(c, parts);
    } else {
      arguments(op, c, parts);
    }
    return fmt::format("R.{}({})", name, fmt::join(parts, ", "));
  }

  // In the order of the record: operands by position as long as nothing is left out before them, the rest by name.
  // Attributes that the record fills in by itself are left out.
  void arguments(const Op& op, const Call& c, std::vector<std::string>& parts) {
    size_t next = 0;
    bool by_position = true;
    for (const OpParam& p : op.info.params) {
      if (p.kind == ParamKind::Attr) {
        by_position = false;
        const AttrValue* v = c.attrs.find(p.name);
        if (v && !fills_in(op, c, p, *v)) parts.push_back(fmt::format("{}={}", p.name, named_value(p.name, *v)));
      } else if (p.kind == ParamKind::Variadic || p.kind == ParamKind::List) {
        std::vector<std::string> rest;
        for (; next < c.args.size(); ++next) rest.push_back(expr(c.args[next]));
        if (p.kind == ParamKind::Variadic)
          parts.insert(parts.end(), rest.begin(), rest.end());
        else if (rest.size() == 1 && !find<Tuple>(c.args.back()))
          parts.push_back(rest[0]);
        else if (!rest.empty())
          parts.push_back(fmt::format("[{}]", fmt::join(rest, ", ")));
      } else if (next < c.args.size()) {
        const Expr& arg = c.args[next++];
        if (p.default_value && find<Tuple>(arg) && find<Tuple>(arg)->fields.empty()) {
          by_position = false;
          continue;
        }
        std::string text = p.kind == ParamKind::Func ? callee(arg) : expr(arg);
        parts.push_back(by_position ? text : fmt::format("{}={}", p.name, text));
      }
    }
    for (; next < c.args.size(); ++next) parts.push_back(expr(c.args[next]));
    for (const auto& [name, v] : c.attrs.values())
      if (!op.find_param(name)) parts.push_back(fmt::format("{}={}", name, named_value(name, v)));
    type_args(c, parts);
  }

  static bool fills_in(const Op& op, const Call& c, const OpParam& p, const AttrValue& v) {
    if (!p.default_value) return false;
    std::vector<Expr> args = c.args;
    Attrs rest = op.complete(args, c.attrs.without(p.name));
    const AttrValue* filled = rest.find(p.name);
    return filled && filled->same_plain(v);
  }

  Lines* body_ = nullptr;
  bool uses_module_ = false, in_dataflow_ = false, in_attributes_ = false;
  std::vector<Ref<Var>> hoisted_;
  std::unordered_set<const ExprNode*> used_;
  std::unordered_set<const SymVar*> own_symbols_;  // of scalar parameters, whose names they have
};

}  // namespace

void print_relax_function(PrintState& state, const Ref<BaseFunc>& f, const std::string& name, Lines& out) {
  state.uses_relax = true;
  RelaxPrinter(state).function(*find<Function>(Expr(f)), name, out);
}

std::string print_lone_expr(PrintState& state, const Expr& e) { return RelaxPrinter(state).lone(e); }
std::string print_lone_binding(PrintState& state, const Binding& b) { return RelaxPrinter(state).lone(b); }
std::string print_lone_block(PrintState& state, const Ref<BindingBlock>& block) {
  return RelaxPrinter(state).lone(*block);
}

}  // namespace sunmao::script
