#include "passes/analysis/compile_time.h"

#include <algorithm>

#include "ir/type_relation.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

class Known final : public Visitor {
 public:
  std::vector<Ref<Var>> list;
  using Visitor::visit;

  void mark(const Ref<Var>& v) {
    if (vars_.insert(v).second) list.push_back(v);
    for (const Ref<SymVar>& s : definable_symbols(v->type)) symbols_.insert(s);
  }

 private:
  void visit(const Binding& b) override {
    if (is_known(b.value)) mark(b.var);
    Visitor::visit(b);
  }
  bool is_known(const Expr& value) const {
    return std::ranges::all_of(free_vars(value), [&](const Ref<Var>& v) { return vars_.contains(v); }) &&
           std::ranges::all_of(free_symbolic_vars(value), [&](const Ref<SymVar>& s) { return symbols_.contains(s); });
  }
  std::unordered_set<Ref<Var>> vars_;
  std::unordered_set<Ref<SymVar>> symbols_;
};

}  // namespace

std::vector<Ref<Var>> computable_at_compile_time(const Function& function) {
  Known known;
  if (const int64_t* inputs = function.attr<int64_t>("num_input"))
    for (size_t i = static_cast<size_t>(std::max<int64_t>(*inputs, 0)); i < function.params.size(); ++i)
      known.mark(function.params[i]);
  known.visit(Expr(function.body));
  return known.list;
}

}  // namespace sunmao
