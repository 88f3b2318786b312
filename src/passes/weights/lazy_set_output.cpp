#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "passes/passes.h"
#include "passes/weights/lazy_callbacks.h"
#include "passes/weights/lazy_outputs.h"
#include "passes/weights/lazy_reads.h"
#include "passes/weights/weight_dependence.h"

namespace sunmao {
namespace {

class OutputWriter final : public Rewriter {
 public:
  Ref<Function> run(const Function& f, std::optional<size_t> inputs) {
    setter_ = Var::make("fset_output", CallableType::make({PrimType::make(DType::int_(64)), AnyType::make()},
                                                          TupleType::make({}), false));
    const LazyOutputs outputs = find_lazy_outputs(f);
    outputs_ = outputs.of_vars;
    result_ = outputs.result;
    std::vector<Ref<Var>> params = f.params;
    params.insert(params.begin() + static_cast<std::ptrdiff_t>(inputs.value_or(params.size())), setter_);
    std::vector<Binding> first, last;
    for (const Ref<Var>& p : f.params) set(p, first);
    for (const auto& [value, index] : outputs.leaves) last.push_back(setting(index, value));
    Ref<SeqExpr> body = visit_seq(f.body);
    std::vector<Ref<BindingBlock>> blocks{BindingBlock::make(std::move(first))};
    blocks.insert(blocks.end(), body->blocks.begin(), body->blocks.end());
    blocks.push_back(BindingBlock::make(std::move(last)));
    body = SeqExpr::make(merge_blocks(blocks), Tuple::make({}), f.body->span);
    Attrs attrs = f.attrs.without("relax.force_pure");
    if (inputs) attrs = attrs.with("num_input", static_cast<int64_t>(*inputs + 1));
    return Function::make(std::move(params), body, nullptr, false, std::move(attrs), f.span);
  }

 private:
  using Rewriter::visit;

  Binding setting(size_t index, const Expr& value) const {
    const Expr call = Call::make(setter_, {index_value(static_cast<int64_t>(index)), value});
    return {Var::make("_void", call->type), call, nullptr, {}};
  }
  void set(const Ref<Var>& v, std::vector<Binding>& out) const {
    if (auto places = outputs_.find(v); places != outputs_.end())
      for (size_t index : places->second) out.push_back(setting(index, v));
  }
  void visit(const Binding& b) override {
    if (b.var == result_) return;
    Rewriter::visit(b);
    std::vector<Binding> settings;
    set(b.var, settings);
    for (const Binding& s : settings) bind(s, s.value);
  }

  Ref<Var> setter_, result_;
  std::unordered_map<Ref<Var>, std::vector<size_t>> outputs_;
};

}  // namespace

Module lazy_set_output(const Module& m, const PassContext&) {
  return map_uncalled_entries(m, "lazy-set-output", [](const Ref<Function>& f, const std::string& name) {
    return OutputWriter().run(*with_literal_result(without_dataflow(f)), num_input(*f, name));
  });
}

}  // namespace sunmao
