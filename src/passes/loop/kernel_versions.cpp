#include "passes/loop/kernel_versions.h"

#include <algorithm>
#include <unordered_set>

#include "ir/equal.h"
#include "loop/walk.h"
#include "passes/loop/buffer_views.h"
#include "passes/loop/store_nest.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// Finds the choices of indices in a kernel that depend on sizes alone, and puts their first alternatives in their
// place.
class Choices final : public StmtRewriter {
 public:
  explicit Choices(const PrimFunc& kernel) {
    for (const Ref<SymVar>& dim : kernel.dims()) dims_.insert(dim);
  }

  Scalar visit_scalar(const Scalar& s) override {
    return s ? rewrite(s, [this](const Scalar& node) { return chosen(node); }) : s;
  }

  const std::vector<Scalar>& conditions() const { return conditions_; }

 private:
  // Returns the first alternative of a choice, null for other scalars.
  Scalar chosen(const Scalar& s) {
    const auto* select = find<Select>(s);
    const auto* sizes = select ? find<Binary>(select->condition) : nullptr;
    const int64_t* other = select ? find_int(select->else_value) : nullptr;
    if (!sizes || sizes->op != BinaryOp::Eq || !other || *other != 0 || find_int(select->then_value)) return nullptr;
    const std::vector<Ref<SymVar>> symbols = free_symbols(select->condition);
    const bool is_of_sizes =
        std::ranges::all_of(symbols, [this](const Ref<SymVar>& symbol) { return dims_.contains(symbol); });
    if (!is_of_sizes || reads_memory(select->condition)) return nullptr;
    const auto is_known = [&](const Scalar& c) { return structural_equal(c, select->condition); };
    if (std::ranges::none_of(conditions_, is_known)) conditions_.push_back(select->condition);
    return select->then_value;
  }

  static bool reads_memory(const Scalar& s) {
    bool found = false;
    visit_all(s, [&](const Scalar& part) { found = found || find<ExternScalar>(part) != nullptr; });
    return found;
  }

  std::unordered_set<Ref<SymVar>> dims_;
  std::vector<Scalar> conditions_;
};

}  // namespace

Ref<PrimFunc> with_versions(const Ref<PrimFunc>& kernel) {
  if (!read_root(*kernel)) return kernel;
  const Ref<PrimFunc> named = with_data_names(kernel);  // so that passes give both versions the same names
  Choices choices(*named);
  const Stmt chosen = choices.visit(named->body);
  if (choices.conditions().empty()) return kernel;
  Scalar all = choices.conditions()[0];
  for (size_t i = 1; i < choices.conditions().size(); ++i)
    all = Binary::make(BinaryOp::And, all, choices.conditions()[i]);
  return named->with_body(IfThenElse::make(all, with_fresh_names(chosen), named->body));
}

}  // namespace sunmao
