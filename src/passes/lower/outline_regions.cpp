// The pass `outline-regions`: where a cast introduces data-dependent sizes, the rest of the function becomes a private
// function, which binds these sizes from the shapes of its arguments. In bytecode a function knows all its sizes when
// it starts.
#include <algorithm>

#include "ir/builder.h"
#include "ir/copy.h"
#include "ir/type_relation.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/open_sizes.h"
#include "passes/analysis/purity.h"
#include "passes/analysis/variables.h"
#include "passes/lower/outlined_part.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class Splitter {
 public:
  Splitter(const std::string& name, const Module& module, NameSupply& names)
      : name_(name), module_(module), names_(names) {}

  // The functions of the regions are appended to `out`.
  Ref<Function> run(const Ref<Function>& f, std::vector<FunctionEntry>& out) {
    const Ref<Function> plain = without_dataflow(f);
    for (const Ref<BindingBlock>& block : plain->body->blocks)
      std::ranges::copy(block->bindings, std::back_inserter(bindings_));
    if (std::ranges::none_of(bindings_, says_open_sizes)) return f;
    for (size_t i = 0; i < bindings_.size(); ++i)
      if (says_open_sizes(bindings_[i])) move_value_before(i);
    const std::vector<Symbols> known = known_at_casts(*plain);
    const size_t place = out.size();
    result_ = plain->body->body;
    size_t cast = known.size();
    for (size_t i = bindings_.size(); i-- > 0;) {
      const Expr value = bindings_[i].value;
      if (says_open_sizes(bindings_[i]))
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(place), split(i, known[--cast]));
      is_pure_ = is_pure_ && !contains_impure_call(value, {.own_name = {}, .module = &module_});
    }
    return Function::make(plain->params, body_from(0), plain->result_type, plain->is_pure, plain->attrs, plain->span);
  }

 private:
  // Moves the value of a cast right before it, where nothing else uses it before: it is passed on to the function of
  // the region.
  void move_value_before(size_t cast) {
    const Ref<Var> value = find_ref<Var>(bindings_[cast].value);
    size_t at = cast;
    while (value && at > 0 && bindings_[at - 1].var != value) {
      --at;
      if (std::ranges::count(used_vars(bindings_[at].value), value) > 0) return;
    }
    if (at == 0 || at == cast || contains_impure_call(bindings_[at - 1].value, {.own_name = {}, .module = &module_}))
      return;
    const auto first = bindings_.begin() + static_cast<std::ptrdiff_t>(at) - 1;
    std::rotate(first, first + 1, bindings_.begin() + static_cast<std::ptrdiff_t>(cast));
  }

  // Returns for each cast that begins a region the symbols that are known before it.
  std::vector<Symbols> known_at_casts(const Function& f) const {
    Symbols known;
    for (const Ref<Var>& p : f.params)
      for (const Ref<SymVar>& s : definable_symbols(p->type)) known.insert(s);
    std::vector<Symbols> out;
    for (const Binding& b : bindings_) {
      if (says_open_sizes(b)) out.push_back(known);
      for (const Ref<SymVar>& s : symbols_of(b)) known.insert(s);
    }
    return out;
  }

  Ref<SeqExpr> body_from(size_t first) const {
    std::vector<Binding> bindings(bindings_.begin() + static_cast<std::ptrdiff_t>(first), bindings_.end());
    std::vector<Ref<BindingBlock>> blocks;
    if (!bindings.empty()) blocks.push_back(BindingBlock::make(std::move(bindings)));
    return SeqExpr::make(std::move(blocks), result_);
  }

  // Replaces the cast at `at` and what follows by the call of a function, and returns that function.
  FunctionEntry split(size_t at, const Symbols& known) {
    const Binding cast = bindings_[at];
    const Ref<SeqExpr> rest = body_from(at + 1);
    bindings_.resize(at);
    Expr value = cast.value;
    if (!find<Var>(value)) {
      const Ref<Var> var = Var::make(cast.var->name, value->type, cast.span);
      bindings_.push_back({var, value, nullptr, cast.span});
      value = var;
    }
    const Ref<GlobalVar> name = GlobalVar::make(names_.fresh(name_ + "_rest"), cast.span);
    auto [f, args] = outlined_part(
        rest, {.known = known, .is_pure = is_pure_, .first_param = cast.var, .first_arg = std::move(value)});
    const auto* signature = find<CallableType>(f->type);
    SUNMAO_CHECK(signature, "{} has no type", name->name);
    const Type type = infer_call(*signature, args, cast.span, name->name);
    const auto* named = find<Var>(result_);
    const Ref<Var> out = Var::make(named ? named->name : "out", type, cast.span);
    bindings_.push_back({out, Call::make_typed(name, std::move(args), {}, {}, type, cast.span), nullptr, cast.span});
    result_ = out;
    return {name, FreshCopy().copy(f)};
  }

  const std::string& name_;
  const Module& module_;
  NameSupply& names_;
  std::vector<Binding> bindings_;  // those that stay, and at the end those of the region that is split off next
  Expr result_;
  bool is_pure_ = true;  // what follows the binding that is looked at
};

}  // namespace

Module outline_regions(const Module& m, const PassContext&) {
  return with_parts_outlined(
      m, [&m](const OutlineRequest& r) { return Splitter(r.name, m, r.names).run(r.function, r.outlined); });
}

}  // namespace sunmao
