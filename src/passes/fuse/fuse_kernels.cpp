// The pass `fuse-kernels`: merges a kernel with the elementwise kernel that is the only consumer of its result. The
// intermediate result becomes a temporary of the merged kernel; kernels are not merged when this temporary would stay
// as large as a tensor after scheduling.
#include <algorithm>
#include <unordered_map>

#include "ir/builder.h"
#include "loop/builder.h"
#include "loop/walk.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/lower/large_temporaries.h"
#include "passes/passes.h"
#include "passes/schedule/inline_elementwise.h"

namespace sunmao {
namespace {

const Block* root_of(const PrimFunc& f) {
  const auto* realize = find<BlockRealize>(f.body);
  return realize && realize->values.empty() ? realize->block.get() : nullptr;
}

// Returns the single block of a function when it is enclosed only by loops and stores one element per iteration; else
// null.
const Block* elementwise_block(const PrimFunc& f) {
  const Block* root = root_of(f);
  if (!root || !root->alloc_buffers.empty()) return nullptr;
  Stmt s = root->body;
  while (const auto* loop = find<For>(s)) s = loop->body;
  const auto* realize = find<BlockRealize>(s);
  const auto* store = realize && !realize->block->init ? find<BufferStore>(realize->block->body) : nullptr;
  if (!store || realize->block->iters.size() != store->indices.size()) return nullptr;
  for (size_t i = 0; i < store->indices.size(); ++i) {
    const IterVar& iter = realize->block->iters[i];
    if (iter.kind != IterKind::Spatial || store->indices[i] != Scalar(iter.var)) return nullptr;
  }
  return realize->block.get();
}

bool is_one(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 1;
}

// True when the block reads `buffer` only at its own iterators, which are the indices of the element that it writes.
bool reads_own_element(const Block& block, const Ref<Buffer>& buffer) {
  bool own = true, any = false;
  visit_all(find<BufferStore>(block.body)->value, [&](const Scalar& node) {
    const auto* l = find<BufferLoad>(node);
    if (!l || l->buffer != buffer) return;
    any = true;
    for (size_t i = 0; i < l->indices.size(); ++i)
      own &= i < block.iters.size() && (l->indices[i] == Scalar(block.iters[i].var) || is_one(buffer->shape[i]));
    own &= l->indices.size() == block.iters.size();
  });
  return own && any;
}

class CountUses final : public Visitor {
 public:
  std::unordered_map<Ref<Var>, int> count;
  using Visitor::visit;

 private:
  void visit(const Var& v) override { ++count[Ref<Var>(&v)]; }
};

class Fuser {
 public:
  Fuser(const Module& module, const Target& target) : functions_(module), target_(target) {}

  Module run() {
    std::vector<FunctionEntry> changed;
    Module module = functions_.module();
    for (const FunctionEntry& e : module.functions()) {
      Ref<Function> f = find_ref<Function>(Expr(e.func));
      if (!f) continue;
      CountUses uses;
      uses.visit(Expr(f));
      uses_ = std::move(uses.count);
      std::vector<Ref<BindingBlock>> blocks;
      for (const Ref<BindingBlock>& b : f->body->blocks) blocks.push_back(fuse(b));
      if (blocks != f->body->blocks)
        changed.push_back({e.var, f->with_body(SeqExpr::make(std::move(blocks), f->body->body, f->body->span))});
    }
    return changed.empty() ? module : functions_.module().with_functions(std::move(changed));
  }

 private:
  Ref<BindingBlock> fuse(const Ref<BindingBlock>& block) {
    std::vector<Binding> out;
    bool changed = false;
    for (const Binding& b : block->bindings) {
      out.push_back(b);
      while (fuse_last(out)) changed = true;
    }
    if (!changed) return block;
    return block->is_dataflow ? BindingBlock::make_dataflow(std::move(out), block->span)
                              : BindingBlock::make(std::move(out), block->span);
  }

  // Merges the last binding with the binding that produces one of its inputs, if that input has no other consumer.
  bool fuse_last(std::vector<Binding>& bindings) {
    Binding consumer = bindings.back();
    if (consumer.is_match_cast()) return false;
    auto call = find_kernel_call(consumer.value, functions_.module());
    const Block* block = call ? elementwise_block(*call->func) : nullptr;
    if (!block || call->outputs.size() != 1) return false;
    for (size_t i = 0; i < call->inputs.size(); ++i) {
      Ref<Var> input = find_ref<Var>(call->inputs[i]);
      auto producer = std::ranges::find_if(bindings, [&](const Binding& b) { return b.var == input; });
      if (!input || producer == bindings.end() || uses_[input] != 1 || producer->is_match_cast()) continue;
      if (!reads_own_element(*block, call->func->buffers()[i]) || !same_shape(input->type, consumer.var->type))
        continue;
      auto first = find_kernel_call(producer->value, functions_.module());
      if (!first || first->outputs.size() != 1 || !root_of(*first->func)) continue;
      const Expr merged = merge(*first, *call, i, producer->value->span);
      if (!merged) continue;
      bindings.back().value = merged;
      bindings.erase(producer);
      return true;
    }
    return false;
  }

  static bool same_shape(const Type& a, const Type& b) {
    const auto *x = find<TensorType>(a), *y = find<TensorType>(b);
    if (!x || !y || !x->dims() || !y->dims() || x->rank != y->rank) return false;
    Analyzer analyzer;
    return std::ranges::equal(*x->dims(), *y->dims(),
                              [&](const Scalar& p, const Scalar& q) { return analyzer.can_prove_equal(p, q); });
  }

  // Returns null when the temporary between the two kernels would remain as large as a tensor.
  Expr merge(const KernelCall& first, const KernelCall& second, size_t shared, const Span& span) {
    Ref<PrimFunc> head = instantiate(first), tail = instantiate(second);
    std::vector<PrimParam> params(head->params.begin(), head->params.end() - 1);
    Ref<Buffer> between = head->params.back().buffer;
    BufferMap joined{{tail->params[shared].buffer, between}};
    std::vector<Expr> inputs = first.inputs;
    for (size_t i = 0; i < second.inputs.size(); ++i) {
      if (i == shared) continue;
      // An input of both kernels becomes a single parameter.
      auto known = std::ranges::find(inputs, second.inputs[i]);
      if (known != inputs.end()) {
        joined[tail->params[i].buffer] = params[static_cast<size_t>(known - inputs.begin())].buffer;
        continue;
      }
      inputs.push_back(second.inputs[i]);
      params.push_back(renamed(tail->params[i], params, joined));
    }
    params.push_back(renamed(tail->params.back(), params, joined));
    const Block *a = root_of(*head), *b = root_of(*tail);
    std::vector<Ref<Buffer>> allocs = a->alloc_buffers;
    allocs.push_back(between);
    Stmt body = root_block(Seq::make({a->body, substitute(b->body, {}, joined)}), std::move(allocs));
    std::string name = first.callee->name.starts_with("fused_") ? first.callee->name : "fused_" + first.callee->name;
    std::vector<Ref<SymVar>> used = scalar_symbols(first);
    std::ranges::copy(scalar_symbols(second), std::back_inserter(used));
    Ref<PrimFunc> fused = with_scalars(std::move(params), std::move(used), body, head->attrs);
    if (!fits_stack(*between) && !is_inlined(*fused, *between) &&
        temporaries_left(fused, target_).contains(between->name))
      return nullptr;
    Ref<GlobalVar> var = functions_.add_function(name + "_" + second.callee->name, fused);
    std::vector<Expr> args{var, Tuple::make(std::move(inputs))};
    std::vector<Scalar> scalars;
    for (const PrimParam& p : fused->params)
      if (!p.buffer) scalars.push_back(p.var);
    if (!scalars.empty()) args.push_back(ShapeExpr::make(std::move(scalars)));
    return Call::make(builtin_ops().get("call_tir"), std::move(args), {}, {second.outputs[0]}, span);
  }

  // Renames the parameter if another one has its name.
  static PrimParam renamed(const PrimParam& p, const std::vector<PrimParam>& others, BufferMap& joined) {
    std::string name = p.buffer->name;
    for (int i = 1; std::ranges::any_of(others, [&](const PrimParam& o) { return o.buffer->name == name; }); ++i)
      name = p.buffer->name + "_" + std::to_string(i);
    if (name == p.buffer->name) return p;
    Ref<Buffer> fresh = Buffer::make(name, p.buffer->dtype, p.buffer->shape);
    joined[p.buffer] = fresh;
    return {SymVar::make("p_" + name, DType::handle()), fresh};
  }

  // Returns the symbols in scalar arguments of a kernel call; the body may use them though no shape contains them.
  static std::vector<Ref<SymVar>> scalar_symbols(const KernelCall& call) {
    std::vector<Ref<SymVar>> out;
    for (const PrimParam& p : call.func->params)
      if (!p.buffer) std::ranges::copy(free_symbols(call.symbols.at(p.var)), std::back_inserter(out));
    return out;
  }

  // Adds scalar parameters for the symbols that are not a dimension of a tensor parameter on their own, and for the
  // symbols in `used`.
  static Ref<PrimFunc> with_scalars(std::vector<PrimParam> params, std::vector<Ref<SymVar>> used, Stmt body,
                                    Attrs attrs) {
    std::vector<Ref<SymVar>> own;
    for (const PrimParam& p : params)
      for (const Scalar& d : p.buffer->shape)
        if (find<SymVar>(d)) own.push_back(find_ref<SymVar>(d));
    Ref<PrimFunc> f = PrimFunc::make(params, body, attrs);
    std::ranges::copy(f->dims(), std::back_inserter(used));
    for (const Ref<SymVar>& s : used) {
      if (std::ranges::find(own, s) != own.end()) continue;
      own.push_back(s);
      params.push_back({s, nullptr});
    }
    return PrimFunc::make(std::move(params), body, std::move(attrs));
  }

  BlockBuilder functions_;
  const Target target_;
  std::unordered_map<Ref<Var>, int> uses_;
};

}  // namespace

Module fuse_kernels(const Module& m, const PassContext& ctx) { return Fuser(m, ctx.target).run(); }

}  // namespace sunmao
