// Parts of graph-level functions that stand alone.
#include "script/relax_printer.h"

namespace sunmao::script {

std::string RelaxPrinter::lone(const Expr& e) {
  return lone([&] {
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

std::string print_lone_expr(PrintState& state, const Expr& e) { return RelaxPrinter(state).lone(e); }
std::string print_lone_binding(PrintState& state, const Binding& b) { return RelaxPrinter(state).lone(b); }
std::string print_lone_block(PrintState& state, const Ref<BindingBlock>& block) {
  return RelaxPrinter(state).lone(*block);
}

}  // namespace sunmao::script
