#include <algorithm>

#include "ir/type_relation.h"
#include "passes/analysis/variables.h"
#include "passes/analysis/written_shapes.h"
#include "passes/passes.h"
#include "passes/weights/lazy_callbacks.h"
#include "passes/weights/lazy_reads.h"
#include "passes/weights/weight_dependence.h"

namespace sunmao {
namespace {

class InputReader final : public LazyReads {
 public:
  Ref<Function> run(const Function& f, size_t inputs) {
    getter_ = Var::make("fget_param",
                        CallableType::make({PrimType::make(DType::int_(64)), AnyType::make()}, AnyType::make(), true));
    std::vector<Ref<Var>> params(f.params.begin(), f.params.begin() + static_cast<std::ptrdiff_t>(inputs));
    std::vector<Weight> weights;
    for (size_t i = inputs; i < f.params.size(); ++i) {
      const Ref<Var>& p = f.params[i];
      weights.push_back({p, static_cast<int>(i - inputs), p->name, p->type});
    }
    Substitution said;
    std::unordered_map<Ref<Var>, Expr> kept;
    for (const Ref<Var>& p : params) {
      kept.emplace(p, p);
      for (const Ref<SymVar>& s : defined_symbols(p->type)) said.emplace(s, s);
    }
    begin(std::move(weights), params, nullptr);
    params.push_back(getter_);
    Ref<SeqExpr> body = visit_seq(f.body);
    Type result = f.result_type ? erase_to_well_defined(f.result_type, said, kept) : Type();
    Attrs attrs = f.attrs.with("num_input", static_cast<int64_t>(inputs + 1));
    return Function::make(std::move(params), body, std::move(result), f.is_pure, std::move(attrs), f.span);
  }

 private:
  Expr request(const Weight& weight) override {
    return Call::make(getter_, {index_value(weight.index), StringLiteral::make(weight.name)});
  }
  Ref<Var> getter_;
};

}  // namespace

Module lazy_get_input(const Module& m, const PassContext&) {
  return map_uncalled_entries(m, "lazy-get-input", [](const Ref<Function>& f, const std::string& name) {
    const size_t inputs = num_input(*f, name).value_or(0);
    return InputReader().run(*with_written_shapes(f, inputs), inputs);
  });
}

}  // namespace sunmao
