// The pass `plan-block-memory`: the memory of the tensors of a block, by the order of the calls that use them.
#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/passes.h"
#include "passes/upstream/block_memory.h"

namespace sunmao {
namespace {

// An attribute of functions: also results whose sizes have bounds are put into storages, each into its own.
constexpr const char* kPlanResults = "relax.memory_plan_dynamic_func_output";

bool plans_results(const Function& f) {
  const AttrValue* given = f.attrs.find(kPlanResults);
  if (!given) return false;
  const auto* flag = given->find<bool>();
  const auto* number = given->find<int64_t>();
  const auto* scalar = given->find<Scalar>();
  if (scalar) number = find_int(*scalar);
  return flag ? *flag : number && *number != 0;
}

class Planner final : public Rewriter {
 public:
  Planner(const Module& module, const Function& function)
      : bounds_(function), memory_(module, function, bounds_), plans_results_(plans_results(function)) {}

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    const Call* alloc = b.is_match_cast() ? nullptr : find_call(b.value, "builtin.alloc_tensor");
    if (!alloc) return Rewriter::visit(b);
    if (const BlockStorage* storage = memory_.storage_of(b.var))
      return bind(b, tensor_in(made(*storage, *alloc), *alloc));
    Expr own = plans_results_ ? own_storage(*alloc) : nullptr;
    own ? bind(b, tensor_in(own, *alloc)) : Rewriter::visit(b);
  }

  // Returns the variable of the storage, which is allocated where it is first needed.
  Expr made(const BlockStorage& storage, const Call& alloc) {
    auto [it, is_new] = storages_.try_emplace(&storage);
    if (is_new) it->second = new_storage(storage.bytes, storage.dtype, StringLiteral::make(storage.scope), alloc);
    return it->second;
  }

  Expr new_storage(const Scalar& bytes, DType dtype, Expr scope, const Call& alloc) {
    return emit(Call::make(builtin_ops().get("memory.alloc_storage"),
                           {ShapeExpr::make({bytes}), alloc.args[2], std::move(scope), DTypeLiteral::make(dtype)}, {},
                           {}, alloc.span),
                "storage");
  }

  // Returns a storage as large as the tensor may become; null when its sizes are numbers, or not known.
  Expr own_storage(const Call& alloc) {
    const auto* type = find<TensorType>(alloc.type);
    const std::vector<Scalar>* dims = type ? type->dims() : nullptr;
    auto is_number = [](const Scalar& s) { return find_int(s) != nullptr; };
    if (!dims || type->is_unknown_dtype() || std::ranges::all_of(*dims, is_number)) return nullptr;
    std::vector<Scalar> factors = bounds_.largest(*dims);
    factors.push_back(int_imm((type->dtype.stored_bits() + 7) / 8));
    return new_storage(product_of(factors), type->dtype, alloc.args[3], alloc);
  }

  static Expr tensor_in(const Expr& storage, const Call& alloc) {
    return Call::make(builtin_ops().get("memory.alloc_tensor"),
                      {storage, PrimValue::make(int_imm(0)), alloc.args[0], alloc.args[1], alloc.args[2]}, {}, {},
                      alloc.span);
  }

  SizeBounds bounds_;
  BlockMemory memory_;
  const bool plans_results_;
  std::unordered_map<const BlockStorage*, Expr> storages_;
};

}  // namespace

Module plan_block_memory(const Module& m, const PassContext&) {
  return map_functions(m, [&](const Ref<Function>& f) {
    Ref<Function> planned = Planner(m, *f).rewrite(f);
    if (!f->attrs.has(kPlanResults)) return planned;
    return find_ref<Function>(Expr(planned->with_attrs(planned->attrs.without(kPlanResults))));
  });
}

}  // namespace sunmao
