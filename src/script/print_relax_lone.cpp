// RelaxPrinter for parts of graph-level functions that are printed on their own.
#include <fmt/format.h>

#include <algorithm>

#include "ir/walk.h"
#include "script/relax_printer.h"

namespace sunmao::script {

std::string RelaxPrinter::lone(const Expr& e) {
  return lone([&] {
    if (const auto* branch = find<If>(e)) return lone_branch(*branch);
    std::string text = expr(e);
    body_->add(text);
  });
}

std::string RelaxPrinter::lone(const Binding& b) {
  used_.insert(b.var.get());
  return lone([&] { binding(b); });
}

std::string RelaxPrinter::lone(const BindingBlock& block) {
  for (const Binding& b : block.bindings) used_.insert(b.var.get());
  return lone([&] {
    if (block.is_dataflow) return dataflow(block);
    for (const Binding& b : block.bindings) binding(b);
  });
}

std::string RelaxPrinter::lone(const std::function<void()>& print) {
  return alone([&] {
    Lines lines(state_.options.indent_spaces);
    body_ = &lines;
    print();
    return lines.text();
  });
}

namespace {

class NamedVars final : public Visitor {
 public:
  std::vector<Expr> vars;

 protected:
  using Visitor::visit;
  void visit(const Var& var) override { vars.push_back(Expr(&var)); }
};

}  // namespace

// Prints an `if` expression that is not bound: each branch ends in its value, and declares the free names that only it
// uses.
void RelaxPrinter::lone_branch(const If& branch) {
  std::string condition = expr(branch.condition);
  NamedVars then_names, else_names;
  then_names.Visitor::visit(Expr(branch.then_branch));
  else_names.Visitor::visit(Expr(branch.else_branch));
  for (const Expr& var : then_names.vars)
    if (std::ranges::find(else_names.vars, var) != else_names.vars.end()) expr(var);
  body_->add(fmt::format("if {}:", condition));
  lone_side(*branch.then_branch);
  body_->add("else:");
  lone_side(*branch.else_branch);
}

void RelaxPrinter::lone_side(const SeqExpr& side) {
  NameScope names(names_);
  std::vector<std::string> around = std::exchange(declarations_, {});
  Lines inner(state_.options.indent_spaces);
  Lines* outer = std::exchange(body_, &inner);
  inner.set_level(outer->level() + 1);
  sequence(side);
  inner.add(expr(side.body));
  body_ = outer;
  body_->indent();
  for (const std::string& line : std::exchange(declarations_, std::move(around))) body_->add(line);
  body_->dedent();
  body_->append(inner);
}

std::string print_lone_expr(PrintState& state, const Expr& e) { return RelaxPrinter(state).lone(e); }
std::string print_lone_binding(PrintState& state, const Binding& b) { return RelaxPrinter(state).lone(b); }
std::string print_lone_block(PrintState& state, const Ref<BindingBlock>& block) {
  return RelaxPrinter(state).lone(*block);
}

}  // namespace sunmao::script
