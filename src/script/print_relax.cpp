// RelaxPrinter for graph-level functions: signatures, attributes, binding blocks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/walk.h"
#include "script/relax_printer.h"
#include "script/spelling.h"

namespace sunmao::script {
namespace {

// Collects the variables that a function uses.
class UsedVars final : public Visitor {
 public:
  explicit UsedVars(const Function& f) { Visitor::visit(f); }
  std::unordered_set<const ExprNode*> used;

 protected:
  using Visitor::visit;
  void visit(const Var& var) override { used.insert(&var); }
};

}  // namespace

void RelaxPrinter::function(const Function& f, const std::string& name, Lines& out) {
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

std::string RelaxPrinter::decorator(const Function& f, const std::string* name) const {
  std::vector<std::string> parts;
  if (!f.is_pure) parts.push_back("pure=False");
  if (name && !f.attrs.has("global_symbol")) parts.push_back("private=True");
  if (name && state_.function_name(*name) != *name) parts.push_back(global_name_argument(state_, *name));
  return parts.empty() ? "@R.function" : fmt::format("@R.function({})", fmt::join(parts, ", "));
}

std::string RelaxPrinter::attributes(const Function& f, const std::string* name) {
  static const std::string kSymbol = "global_symbol";
  const std::string* symbol = f.attrs.find<std::string>(kSymbol);
  bool is_told = name && symbol && *symbol == *name;
  if (f.attrs.values().size() <= (is_told ? 1 : 0)) return {};
  bool around = std::exchange(in_attributes_, true);
  std::string text = map(f.attrs.values(), is_told ? &kSymbol : nullptr);
  in_attributes_ = around;
  return fmt::format("R.func_attr({})", text);
}

// Prints a parameter. An int64 scalar parameter shares one printed name with the symbol that is its value when both
// have the same name.
std::string RelaxPrinter::parameter(const Var& p) {
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

std::string RelaxPrinter::signature(const Function& f, const std::string& name) {
  bool outer = std::exchange(quote_dims_, true);
  std::vector<std::string> parts;
  for (const Ref<Var>& p : f.params) parts.push_back(parameter(*p));
  std::string result = f.result_type ? " -> " + type(f.result_type) : "";
  quote_dims_ = outer;
  return fmt::format("def {}({}){}:", name, fmt::join(parts, ", "), result);
}

void RelaxPrinter::nested_function(const Function& f, const Var& var) {
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

void RelaxPrinter::sequence(const SeqExpr& seq) {
  const BindingBlock* before = nullptr;
  for (const Ref<BindingBlock>& block : seq.blocks) {
    if (block->is_dataflow) {
      dataflow(*block);
    } else {
      if (before && !before->is_dataflow) body_->add("pass");  // separates two consecutive non-dataflow blocks
      for (const Binding& b : block->bindings) binding(b);
    }
    before = block.get();
  }
}

void RelaxPrinter::dataflow(const BindingBlock& block) {
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

void print_relax_function(PrintState& state, const Ref<BaseFunc>& f, const std::string& name, Lines& out) {
  state.uses_relax = true;
  RelaxPrinter(state).function(*find<Function>(Expr(f)), name, out);
}

}  // namespace sunmao::script
