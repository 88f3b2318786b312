#include "passes/weights/lift_remainder.h"

#include <fmt/format.h>

#include "ir/builder.h"
#include "passes/analysis/blocks.h"
#include "passes/canonical/canonicalize_bindings.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

class Remainder final : public Rewriter {
 public:
  explicit Remainder(const std::unordered_set<Ref<Var>>& lifted) : lifted_(lifted) {}

  Ref<Function> build(const WorkSource& source, const WeightWork& work, const WeightWork::Names& names,
                      const PreparedWeights& prepared) {
    const Function& f = *source.function;
    params_ = {f.params.begin(), f.params.begin() + static_cast<std::ptrdiff_t>(source.inputs)};
    for (const Ref<Var>& p : params_) supply_.reserve(p->name);
    if (!prepared.symbols.empty())
      params_.push_back(parameter("vars_from_compile_time_params", own_type(prepared.symbol_shape(), names)));
    const auto own_vars = own_vars_of(source, names);
    for (const Ref<Var>& common : prepared.values) {
      auto known = own_vars.find(common);
      const std::vector<Ref<Var>> own = known == own_vars.end() ? std::vector<Ref<Var>>() : known->second;
      if (is_taken_apart(common, work)) {
        const Expr parts = fields_of(common->type, common->name, names);
        for (const Ref<Var>& v : own) tuples_.emplace(v, parts);
        continue;
      }
      params_.push_back(own.empty() ? parameter(common->name, own_type(common->type, names))
                                    : parameter(own[0]->name, own[0]->type));
      for (const Ref<Var>& v : own) replace(v, params_.back());
    }
    Ref<SeqExpr> body = visit_seq(f.body);
    return Function::make(std::move(params_), body, f.result_type, f.is_pure, f.attrs, f.span);
  }

 private:
  using Rewriter::visit;
  void visit(const Binding& b) override {
    if (auto parts = tuples_.find(b.var); parts != tuples_.end()) return bind(b, parts->second);
    if (!lifted_.contains(b.var)) Rewriter::visit(b);
  }

  // Maps each variable of the common work to the variables of this function that compute the same value, in order; a
  // function may compute it several times.
  static std::unordered_map<Ref<Var>, std::vector<Ref<Var>>> own_vars_of(const WorkSource& source,
                                                                         const WeightWork::Names& names) {
    std::unordered_map<Ref<Var>, std::vector<Ref<Var>>> out;
    for (const Ref<Var>& w : source.weights()) out[names.vars.at(w)].push_back(w);
    for (const Binding& b : source.dependence.bindings) out[names.vars.at(b.var)].push_back(b.var);
    return out;
  }

  // Replaces the symbols of the common work in a type by the symbols of this function.
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

  const std::unordered_set<Ref<Var>>& lifted_;
  std::vector<Ref<Var>> params_;
  std::unordered_map<Ref<Var>, Expr> tuples_;
  NameSupply supply_;
};

}  // namespace

Ref<Function> build_remainder(const WorkSource& source, const WeightWork& work, size_t index,
                              const PreparedWeights& prepared) {
  const Ref<Function> f =
      canonical_form(Remainder(prepared.lifted[index]).build(source, work, work.names[index], prepared));
  // Blocks that were separated by lifted work may now be merged.
  return with_merged_blocks(f);
}

}  // namespace sunmao
