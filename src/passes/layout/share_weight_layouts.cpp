// The pass `share-weight-layouts`: a weight that one kernel reads in a layout of its own, and others only look elements
// up in, is stored in that layout alone. So embeddings that are the last layer's weight too stay one weight.
#include <algorithm>
#include <unordered_map>

#include "ir/builder.h"
#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/analysis/kernel_call.h"
#include "passes/layout/layout_marks.h"
#include "passes/layout/read_elsewhere.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/store_nest.h"
#include "passes/passes.h"
#include "passes/weights/parameter_stages.h"
#include "passes/weights/weight_params.h"

namespace sunmao {
namespace {

/// A kernel that stores each element of its only input at a place of its own.
struct Move {
  StoreNest nest;
  std::vector<Ref<SymVar>> loops;  // in the order of the input's dimensions

  std::vector<Scalar> place(const std::vector<Scalar>& indices) const {
    Substitution map;
    for (size_t d = 0; d < loops.size(); ++d) map[loops[d]] = as_type_of(loops[d], indices[d]);
    std::vector<Scalar> out;
    for (const Scalar& index : nest.indices) out.push_back(substitute(index, map));
    return out;
  }
};

std::optional<Move> read_move(const KernelCall& call) {
  if (call.inputs.size() != 1 || call.outputs.size() != 1 || !call.symbols.empty()) return std::nullopt;
  const std::optional<RootBody> root = read_root(*call.func);
  std::optional<StoreNest> nest =
      root && root->stmts.size() == 1 && root->temps.empty() ? read_store_nest(root->stmts[0]) : std::nullopt;
  const auto* load = nest ? find<BufferLoad>(nest->value) : nullptr;
  if (!load || !nest->is_spatial() || nest->predicate || nest->init) return std::nullopt;
  Move move{*nest, {}};
  for (size_t d = 0; d < load->indices.size(); ++d) {
    const Ref<SymVar> loop = find_ref<SymVar>(load->indices[d]);
    const auto at = std::ranges::find(nest->loops, loop);
    if (!loop || at == nest->loops.end() || std::ranges::find(move.loops, loop) != move.loops.end())
      return std::nullopt;
    const int64_t *size = find_int(load->buffer->shape[d]), *extent = find_int(nest->extents[at - nest->loops.begin()]);
    if (!size || !extent || *size != *extent) return std::nullopt;
    move.loops.push_back(loop);
  }
  if (move.loops.size() != nest->loops.size()) return std::nullopt;
  // Of other places it is not known that no two elements share one.
  const bool permutes = std::ranges::all_of(nest->indices, [&](const Scalar& i) {
    return std::ranges::find(nest->loops, find_ref<SymVar>(i)) != nest->loops.end();
  });
  return (permutes && nest->indices.size() == nest->loops.size()) || call.func->attrs.has(kRelayoutAttr)
             ? std::optional(move)
             : std::nullopt;
}

/// True when a kernel reads a buffer, and at places only that it reads from another one.
bool is_looked_up(const PrimFunc& kernel, const Buffer& buffer) {
  const std::optional<RootBody> root = read_root(kernel);
  bool any = false;
  for (size_t i = 0; root && i < root->stmts.size(); ++i) {
    const std::optional<StoreNest> nest = read_store_nest(root->stmts[i]);
    if (!nest || nest->predicate || nest->init) return false;  // what else a statement does with it is not known
    bool all = true;
    for_each_load(nest->value, [&](const BufferLoad& load) {
      if (load.buffer.get() != &buffer) return;
      any = true;
      bool is_read = false;
      for (const Scalar& index : load.indices) for_each_load(index, [&](const BufferLoad&) { is_read = true; });
      all = all && is_read;
    });
    if (!all) return false;
  }
  return any;
}

/// A tensor whose elements are those of a weight as it was given, moved.
struct Made {
  size_t weight;
  std::vector<Move> moves = {};
};

using MadeOf = std::unordered_map<Ref<Var>, Made>;

std::optional<Made> made_by(const Expr& value, const MadeOf& made, const Module& module) {
  const auto known = [&](const Expr& e) {
    const auto it = made.find(find_ref<Var>(e));
    return it == made.end() ? std::nullopt : std::optional(it->second);
  };
  if (find<Var>(value)) return known(value);
  const std::optional<KernelCall> call = find_kernel_call(value, module);
  std::optional<Made> out = call && call->inputs.size() == 1 ? known(call->inputs[0]) : std::nullopt;
  const std::optional<Move> move = out ? read_move(*call) : std::nullopt;
  if (!move) return std::nullopt;
  out->moves.push_back(*move);
  return out;
}

/// Returns what the results of a transform are, by their places.
std::vector<std::optional<Made>> results_of(const Function& transform, const Module& module) {
  MadeOf made;
  std::vector<Expr> results;
  for (const Ref<BindingBlock>& block : transform.body->blocks)
    for (const Binding& b : block->bindings) {
      const auto* item = find<TupleGetItem>(b.value);
      std::optional<Made> of;
      if (item && find_ref<Var>(item->tuple) == transform.params[0])
        of = Made{static_cast<size_t>(item->index)};
      else
        of = made_by(b.value, made, module);
      if (of) made.emplace(b.var, *of);
      if (const auto* tuple = find<Tuple>(b.value); tuple && Expr(b.var) == transform.body->body)
        results = tuple->fields;
    }
  if (const auto* tuple = find<Tuple>(transform.body->body)) results = tuple->fields;
  std::vector<std::optional<Made>> out;
  for (const Expr& e : results) out.push_back(made_by(e, made, module));
  return out;
}

class Sharer {
 public:
  explicit Sharer(const Module& module) : functions_(module) {}

  Ref<Function> run(const Ref<Function>& f, const std::string& name) {
    const MadeOf weights = weights_of(*f, name);
    if (weights.empty()) return f;
    std::vector<Ref<BindingBlock>> blocks;
    for (const Ref<BindingBlock>& b : f->body->blocks) blocks.push_back(shared(b, weights, *f));
    return blocks == f->body->blocks ? f : f->with_body(SeqExpr::make(std::move(blocks), f->body->body, f->body->span));
  }
  const Module& module() const { return functions_.module(); }

 private:
  /// Returns what the weights of a function are. Without a transform they are as they were given.
  MadeOf weights_of(const Function& f, const std::string& name) const {
    MadeOf out;
    const std::unordered_set<Ref<Var>> weights = weight_params(f, name);
    const std::vector<std::string> stages = param_transforms(name, module());
    if (weights.empty() || stages.size() > 1) return out;
    std::vector<std::optional<Made>> made;
    if (!stages.empty()) made = results_of(*module().find_as<Function>(stages[0]), module());
    const size_t first = f.params.size() - weights.size();
    for (size_t i = first; i < f.params.size(); ++i) {
      if (stages.empty()) out.emplace(f.params[i], Made{i - first});
      if (i - first < made.size() && made[i - first]) out.emplace(f.params[i], *made[i - first]);
    }
    return out;
  }

  Ref<BindingBlock> shared(const Ref<BindingBlock>& block, const MadeOf& weights, const Function& f) {
    std::vector<Binding> bindings = block->bindings;
    bool changed = false;
    for (const Binding& stored : block->bindings) {
      const std::optional<Made> made = stored.is_match_cast() ? std::nullopt : made_by(stored.value, weights, module());
      if (!made || made->moves.empty() || !is_relayout(stored.value)) continue;
      for (const Ref<Var>& given : f.params) {
        const auto of = weights.find(given);
        if (of == weights.end() || of->second.weight != made->weight || !of->second.moves.empty() ||
            !only_looked_up(given, f, bindings, stored.var))
          continue;
        look_up_in(bindings, given, stored, *made);
        changed = true;
      }
    }
    if (!changed) return block;
    return block->is_dataflow ? BindingBlock::make_dataflow(std::move(bindings), block->span)
                              : BindingBlock::make(std::move(bindings), block->span);
  }

  /// True when the kernel was split off another one to store a weight in a layout.
  bool is_relayout(const Expr& value) const {
    const std::optional<KernelCall> call = find_kernel_call(value, module());
    return call && call->func->attrs.has(kRelayoutAttr);
  }

  class Uses final : public Visitor {
   public:
    explicit Uses(const Var& of) : of_(of) {}
    int count = 0;
    using Visitor::visit;

   private:
    void visit(const Var& v) override { count += &v == &of_; }
    const Var& of_;
  };

  /// True when kernels of the block look elements of the weight up by numbers that they read, and nothing else uses it,
  /// other than what makes `stored`.
  bool only_looked_up(const Ref<Var>& weight, const Function& f, const std::vector<Binding>& bindings,
                      const Ref<Var>& stored) const {
    Uses all(*weight);
    all.visit(Expr(f.body));
    int looks = 0, others = 0;
    for (const Binding& b : bindings) {
      if (b.var == stored) others += uses_in(b, *weight);
      const std::optional<KernelCall> call = find_kernel_call(b.value, module());
      if (!call || b.is_match_cast() || b.var == stored) continue;
      for (size_t i = 0; i < call->inputs.size(); ++i)
        if (call->inputs[i] == Expr(weight) && is_looked_up(*call->func, *call->func->buffers()[i])) ++looks;
    }
    return looks > 0 && looks + others == all.count;
  }

  static int uses_in(const Binding& b, const Var& weight) {
    Uses uses(weight);
    uses.visit(b.value);
    return uses.count;
  }

  /// Puts the binding of what is stored first, and looks up in it.
  void look_up_in(std::vector<Binding>& bindings, const Ref<Var>& weight, const Binding& stored, const Made& made) {
    const Place place = [&](std::vector<Scalar> indices) {
      for (const Move& move : made.moves) indices = move.place(indices);
      return indices;
    };
    const auto at = std::ranges::find_if(bindings, [&](const Binding& b) { return b.var == stored.var; });
    std::rotate(bindings.begin(), at, at + 1);
    const auto* type = find<TensorType>(stored.var->type);
    for (Binding& b : bindings) {
      std::optional<KernelCall> call = find_kernel_call(b.value, module());
      if (!call || b.var == stored.var) continue;
      const auto input = std::ranges::find(call->inputs, Expr(weight));
      if (input == call->inputs.end()) continue;
      const Ref<PrimFunc> kernel = instantiate(*call);
      std::vector<PrimParam> params = kernel->params;
      PrimParam& param = params.at(static_cast<size_t>(input - call->inputs.begin()));
      const Ref<Buffer> before = param.buffer;
      const Ref<Buffer> after = Buffer::make(before->name + "_panels", before->dtype, *type->dims());
      param = {SymVar::make("p_" + after->name, DType::handle()), after};
      const Stmt body = read_elsewhere(kernel->body, *before, after, place);
      *input = stored.var;
      b.value = call_kernel(functions_, call->callee->name,
                            with_scalars(std::move(params), scalar_symbols(*call), body, kernel->attrs), call->inputs,
                            call->outputs.size() == 1 ? call->outputs[0] : b.value->type, b.value->span);
    }
  }

  BlockBuilder functions_;
};

}  // namespace

Module share_weight_layouts(const Module& m, const PassContext&) {
  Sharer sharer(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    const Ref<Function> shared = f ? sharer.run(f, e.var->name) : nullptr;
    if (shared != f) changed.push_back({e.var, shared});
  }
  if (changed.empty()) return m;
  return eliminate_dead_code(sharer.module().with_functions(std::move(changed)), PassContext{});
}

}  // namespace sunmao
