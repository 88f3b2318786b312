#include "passes/schedule/function_work.h"

#include <unordered_map>

#include "ir/op.h"
#include "ir/walk.h"
#include "passes/analysis/kernel_call.h"
#include "passes/schedule/kernel_family.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

class FunctionWorkCounter final : public Visitor {
 public:
  FunctionWorkCounter(const Module& module, const Ref<Function>& function)
      : work{.function = function}, module_(module) {
    for (const Ref<Var>& p : function->params)
      for (const Ref<SymVar>& s : free_symbols(p->type)) analyzer_.assume(s, {1, kLargestDim});
    visit(Expr(function->body));
  }

  FunctionWork work;

 private:
  using Visitor::visit;

  void visit(const Call& call) override {
    const Expr e(&call);
    std::optional<KernelCall> kernel = find_kernel_call(e, module_);
    if (!kernel) kernel = find_update_call(e, module_);
    if (kernel)
      add(*kernel);
    else if (!op_of(call))
      work.is_whole = false;
    Visitor::visit(call);
  }

  void visit(const If& branch) override {
    work.is_whole = false;
    Visitor::visit(branch);
  }

  struct Known {
    KernelWork work;
    std::string family;
  };

  void add(const KernelCall& call) {
    ++work.calls;
    const auto [known, is_new] = kernels_.try_emplace(call.func.get());
    if (is_new) known->second = {count_work(*call.func), kernel_family(*call.func)};
    const Known& kernel = known->second;
    add(work.flops_of, kernel.family, substitute(kernel.work.flops, call.symbols));
    for (const auto& [numbers, flops] : kernel.work.flops_on)
      add(work.flops_on, numbers, substitute(flops, call.symbols));
  }

  template <class Key>
  void add(std::map<Key, Scalar>& totals, const Key& key, const Scalar& flops) {
    Scalar& total = totals.try_emplace(key, int_imm(0)).first->second;
    total = analyzer_.simplify(total + flops);
  }

  const Module& module_;
  Analyzer analyzer_;
  std::unordered_map<const PrimFunc*, Known> kernels_;
};

}  // namespace

FunctionWork count_work(const Module& module, const Ref<Function>& function) {
  return FunctionWorkCounter(module, function).work;
}

}  // namespace sunmao
