// The pass `fuse-tir`: replaces functions that carry `Primitive` by loop-level functions, into which the kernels that
// they call are joined.
#include <algorithm>

#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/fuse/joined_kernels.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class Updater final : public Rewriter {
 public:
  explicit Updater(const std::unordered_map<std::string, JoinedKernels>& joined) : joined_(joined) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const auto* c = find<Call>(visited);
    const auto* callee = c ? find<GlobalVar>(c->callee) : nullptr;
    auto it = callee ? joined_.find(callee->name) : joined_.end();
    if (it == joined_.end()) return visited;
    std::vector<Expr> args;
    for (const Expr& a : c->args) {
      const auto* shape = find<ShapeType>(a->type);
      if (!shape) {
        args.push_back(a);
        continue;
      }
      for (const Scalar& value : *shape->values) args.push_back(PrimValue::make(value, a->span));
    }
    const std::vector<int64_t>& places = it->second.places;
    const bool is_in_place = std::ranges::any_of(places, [](int64_t place) { return place >= 0; });
    const Attrs attrs = is_in_place ? Attrs().with("inplace_indices", AttrValue::ints(places)) : Attrs();
    const auto* tuple = find<TupleType>(c->type);
    return Call::make(builtin_ops().get(is_in_place ? "call_tir_inplace" : "call_tir"),
                      {c->callee, Tuple::make(std::move(args), c->span)}, attrs,
                      tuple ? tuple->fields : std::vector{c->type}, c->span);
  }

  const std::unordered_map<std::string, JoinedKernels>& joined_;
};

Module with_joined_kernels(const Module& m) {
  std::unordered_map<std::string, JoinedKernels> joined;
  std::vector<FunctionEntry> entries;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f || !f->attrs.has("Primitive")) continue;
    JoinedKernels kernels = join_calls(m, e.var->name, *f);
    entries.push_back({e.var, kernels.func});
    joined.emplace(e.var->name, std::move(kernels));
  }
  if (joined.empty()) return m;
  return map_functions(m.with_functions(std::move(entries)),
                       [&](const Ref<Function>& f) { return Updater(joined).rewrite(f); });
}

}  // namespace

Module fuse_tir(const Module& m, const PassContext& ctx) {
  PassContext plain = ctx;
  plain.arguments = {};
  const Module expanded = eliminate_dead_code(canonicalize_bindings(expand_tuple_arguments(m, plain), plain), plain);
  return eliminate_dead_code(with_joined_kernels(remove_unused_parameters(expanded, plain)), plain);
}

}  // namespace sunmao
