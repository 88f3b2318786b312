#include "passes/graph/lifted_remainder.h"

#include <fmt/format.h>

#include "ir/builder.h"
#include "passes/graph/canonicalize_bindings.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

class Remainder final : public Rewriter {
 public:
  Ref<Function> build(const WorkSource& source, const WeightWork& work, const WeightWork::Names& names,
                      const PreparedWeights& prepared) {
    const Function& f = *source.function;
    lifted_ = lifted_vars(source, work, names);
    params_ = {f.params.begin(), f.params.begin() + static_cast<std::ptrdiff_t>(source.inputs)};
    for (const Ref<Var>& p : params_) supply_.reserve(p->name);
    if (!prepared.symbols.empty())
      params_.push_back(parameter("vars_from_compile_time_params", own_type(prepared.symbol_shape(), names)));
    for (const Ref<Var>& common : prepared.values) {
      if (is_taken_apart(common, work)) {
        parts_.emplace(common, fields_of(common->type, common->name, names));
        continue;
      }
      const Ref<Var> own = own_of(common, names);
      params_.push_back(parameter(own ? own->name : common->name, own ? own->type : own_type(common->type, names)));
      if (own) replace(own, params_.back());
    }
    for (const auto& [own, common] : names.vars)
      if (parts_.contains(common)) tuples_.emplace(own, parts_.at(common));
    Ref<SeqExpr> body = visit_seq(f.body);
    return Function::make(std::move(params_), body, f.result_type, f.is_pure, f.attrs, f.span);
  }

 private:
  using Rewriter::visit;
  void visit(const Binding& b) override {
    if (auto parts = tuples_.find(b.var); parts != tuples_.end()) return bind(b, parts->second);
    if (!lifted_.contains(b.var)) Rewriter::visit(b);
  }

  static Ref<Var> own_of(const Ref<Var>& common, const WeightWork::Names& names) {
    for (const auto& [own, other] : names.vars)
      if (other == common) return own;
    return nullptr;
  }

  // A type of another function's in the symbols of this one.
  static Type own_type(const Type& common, const WeightWork::Names& names) {
    Substitution symbols;
    for (const auto& [own, other] : names.symbols) symbols.emplace(other, own);
    return substitute(common, symbols);
  }

  Ref<Var> parameter(const std::string& name, Type type) { return Var::make(supply_.fresh(name), std::move(type)); }

  Expr fields_of(const Type& type, const std::string& name, const WeightWork::Names& names) {
    const auto* tuple = find<TupleType>(type);
    if (!tuple) {
      params_.push_back(parameter(name, own_type(type, names)));
      return params_.back();
    }
    std::vector<Expr> fields;
    for (size_t i = 0; i < tuple->fields.size(); ++i)
      fields.push_back(fields_of(tuple->fields[i], fmt::format("{}_{}", name, i), names));
    return Tuple::make(std::move(fields));
  }

  std::unordered_set<Ref<Var>> lifted_;
  std::vector<Ref<Var>> params_;
  std::unordered_map<Ref<Var>, Expr> parts_, tuples_;
  NameSupply supply_;
};

}  // namespace

Ref<Function> build_remainder(const WorkSource& source, const WeightWork& work, const WeightWork::Names& names,
                              const PreparedWeights& prepared) {
  return canonicalize_bindings(Remainder().build(source, work, names, prepared));
}

}  // namespace sunmao
