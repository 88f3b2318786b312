// The pass `fuse-kernels`: merges what `fuse-ops` leaves apart, since the patterns that kernels state do not allow it,
// and the schedules do. A kernel is merged with the elementwise kernel that is the only consumer of its result: this
// becomes a temporary of the merged kernel, but not where it would stay as large as a tensor after scheduling.
// Attention, which copies its operands, reads them where kernels that only move their elements do, and writes its
// result where one puts it. What a kernel copies first, as padding does, it computes while it copies. A change of a
// weight's layout moves the elements as the kernel before it computes them.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/builder.h"
#include "loop/calls.h"
#include "loop/walk.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/analysis/op_pattern.h"
#include "passes/fuse/binding_list.h"
#include "passes/fuse/joined_pair.h"
#include "passes/fuse/kernel_blocks.h"
#include "passes/fuse/moved_elements.h"
#include "passes/layout/layout_marks.h"
#include "passes/lower/large_temporaries.h"
#include "passes/passes.h"
#include "passes/schedule/inline_elementwise.h"
#include "passes/schedule/kernel_summary.h"
#include "passes/schedule/row/attention_blocks.h"

namespace sunmao {
namespace {

constexpr size_t kMostStatements = 64;  // of a kernel that takes on others: schedules look at all pairs of them

size_t statements(const PrimFunc& f) {
  const std::optional<RootBody> root = read_root(f);
  return root ? root->stmts.size() : 1;
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
  Fuser(const Module& module, const PassContext& ctx) : functions_(module), ctx_(ctx) {}

  Module run() {
    std::vector<FunctionEntry> changed;
    Module module = functions_.module();
    for (const FunctionEntry& e : module.functions()) {
      Ref<Function> f = find_ref<Function>(Expr(e.func));
      if (!f) continue;
      function_ = e.var->name;
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
    BindingList list;
    bool changed = false;
    for (const Binding& b : block->bindings) {
      list.add(b);
      while (fuse_last(list) || read_before_moves(list) || compute_while_copying(list)) changed = true;
      if (ctx_.on_explain) explain_what_stays_apart(list);
    }
    if (!changed) return block;
    std::vector<Binding> out = list.take();
    return block->is_dataflow ? BindingBlock::make_dataflow(std::move(out), block->span)
                              : BindingBlock::make(std::move(out), block->span);
  }

  // Merges the last binding with the binding that produces one of its inputs, if that input has no other consumer.
  bool fuse_last(BindingList& bindings) {
    const std::optional<Consumer> consumer = consumer_of(bindings.last());
    if (!consumer) return false;
    const KernelCall& call = consumer->call;
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const auto producer = bindings.producer_of(call.inputs[i]);
      const auto first = producer == bindings.none() ? std::nullopt : kernel_call(*producer);
      if (!first) continue;
      JoinedPair joined;
      if (obstacle(*first, *consumer, i, joined)) continue;
      count_once(*first, call, i);
      bindings.last().value = call_of(joined, joined_name(*first, call), call.outputs[0], producer->value->span);
      explain_merge(*producer, *first, call, bindings.last());
      bindings.remove(producer);
      return true;
    }
    return false;
  }

  // The call of a kernel with one result; nullopt for other bindings.
  std::optional<KernelCall> kernel_call(const Binding& b) const {
    auto call = b.is_match_cast() ? std::nullopt : find_kernel_call(b.value, functions_.module());
    return call && call->outputs.size() == 1 ? call : std::nullopt;
  }

  // A kernel that may be computed where another one ends: its call, of the kernel with what could be inlined, its block
  // and the buffers of its inputs.
  struct Consumer {
    KernelCall call;
    const Block* block;
    std::vector<Ref<Buffer>> buffers;
    BufferSet own;  // those that the block reads at its own element alone
  };

  std::optional<Consumer> consumer_of(const Binding& b) {
    std::optional<KernelCall> call = kernel_call(b);
    const Block* block = call ? consuming_block(*call) : nullptr;
    if (!block) return std::nullopt;
    std::vector<Ref<Buffer>> buffers = call->func->buffers();
    return Consumer{std::move(*call), block, std::move(buffers), read_at_own_element(*block)};
  }

  // Returns the block of a kernel that may be computed where another one ends, or null. What was merged before, as
  // y * sigmoid(y), may be elementwise as a whole.
  const Block* consuming_block(KernelCall& call) {
    if (const Block* block = elementwise_block(*call.func, call.func->attrs.has(kRelayoutAttr))) return block;
    if (statements(*call.func) > kMostStatements) return nullptr;
    const Ref<PrimFunc> inlined = inlined_form(call.func);
    const Block* block = elementwise_block(*inlined);
    if (block) call.func = inlined;
    return block;
  }

  // Returns the kernel with what can be inlined. Many bindings may call one kernel.
  const Ref<PrimFunc>& inlined_form(const Ref<PrimFunc>& func) {
    Ref<PrimFunc>& form = inlined_[func];
    if (!form) form = inline_elementwise(func);
    return form;
  }

  // Says why a kernel is not merged with the kernel that reads its result as input `i`; null when it is, as `joined`
  // then.
  const char* obstacle(const KernelCall& first, const Consumer& consumer, size_t i, JoinedPair& joined) {
    const KernelCall& call = consumer.call;
    const Expr& input = call.inputs[i];
    if (uses_[find_ref<Var>(input)] != 1) return "others read it too";
    if (!root_of(*first.func)) return "it is no kernel of loops";
    const Ref<Buffer>& shared = consumer.buffers[i];
    const bool changes_layout = call.func->attrs.has(kRelayoutAttr);
    const bool is_own =
        consumer.own.contains(shared.get()) && (changes_layout || same_shape(input->type, call.outputs[0]));
    if (!is_own && !(permutes(*consumer.block, shared) && attention_of(*first.func)))
      return "its elements are read in another order";
    if (statements(*first.func) + statements(*call.func) > kMostStatements) return "the two have too many statements";
    joined = join_pair(first, call, i);
    if (changes_layout ? !is_inlined(*joined.func, *joined.between) : !is_worth(joined))
      return "it would stay in memory as a whole";
    return nullptr;
  }

  // Tells what the binding `merged` computes now: what `producer` and it computed.
  void explain_merge(const Binding& producer, const KernelCall& first, const KernelCall& second,
                     const Binding& merged) const {
    if (!ctx_.on_explain) return;
    const std::string& name = find_kernel_call(merged.value, functions_.module())->callee->name;
    ctx_.on_explain(fmt::format("{}: `{}` ({}) joins `{}` ({}), as {}", function_, producer.var->name,
                                first.callee ? first.callee->name : "a view", merged.var->name, second.callee->name,
                                name));
  }

  // Tells for each kernel whose result the last binding reads why it is not computed there.
  void explain_what_stays_apart(BindingList& bindings) {
    const std::optional<KernelCall> call = kernel_call(bindings.last());
    if (!call) return;
    const std::optional<Consumer> consumer = consumer_of(bindings.last());
    for (size_t i = 0; i < call->inputs.size(); ++i) {
      const auto producer = bindings.producer_of(call->inputs[i]);
      const auto first = producer == bindings.none() ? std::nullopt : kernel_call(*producer);
      if (!first) continue;
      JoinedPair joined;
      const char* why = consumer ? obstacle(*first, *consumer, i, joined) : "the latter is not elementwise";
      ctx_.on_explain(fmt::format("{}: `{}` ({}) stays apart from `{}` ({}): {}", function_, producer->var->name,
                                  first->callee->name, bindings.last().var->name, call->callee->name, why));
    }
  }

  // Merges the last binding, if it is an attention, with the bindings that move the elements of its operands.
  bool read_before_moves(BindingList& bindings) {
    const Binding consumer = bindings.last();
    std::optional<KernelCall> call = kernel_call(consumer);
    if (!call) return false;
    std::optional<JoinedPair> all;
    std::vector<std::pair<Binding, KernelCall>> moves;
    while (std::optional<JoinedPair> joined = with_move(bindings, *call, moves)) {
      call->inputs = joined->inputs;
      call->func = joined->func;
      call->symbols = {};
      for (const PrimParam& p : call->func->params)
        if (!p.buffer) call->symbols[p.var] = p.var;
      all = std::move(joined);
    }
    if (!all) return false;
    bindings.last().value = call_of(*all, "fused_" + call->callee->name, call->outputs[0], consumer.value->span);
    for (const auto& [producer, first] : moves) explain_merge(producer, first, *call, bindings.last());
    return true;
  }

  // Merges an attention with the binding that moves the elements of one of its operands, and puts that binding into
  // `moves` instead; nullopt when there is none.
  std::optional<JoinedPair> with_move(BindingList& bindings, const KernelCall& call,
                                      std::vector<std::pair<Binding, KernelCall>>& moves) {
    const std::optional<Attention> attention = attention_of(*call.func);
    const std::vector<Ref<Buffer>> buffers = call.func->buffers();
    for (size_t i = 0; attention && i < call.inputs.size(); ++i) {
      const Ref<Buffer>& operand = buffers[i];
      const bool is_key = reads(attention->key_element, operand);
      if (!is_key && !reads(attention->query, operand) && !reads(attention->value, operand)) continue;
      const auto producer = only_producer(bindings, call.inputs[i]);
      const auto first = producer == bindings.none() ? std::nullopt : moving_call(bindings, *producer, is_key);
      if (!first) continue;
      JoinedPair joined = join_pair(*first, call, i);
      if (!is_inlined(*joined.func, *joined.between)) continue;
      joined.func = inline_elementwise(joined.func);  // so that the operand is what is read now
      count_once(*first, call, i);
      moves.emplace_back(*producer, *first);
      bindings.remove(producer);
      return joined;
    }
    return std::nullopt;
  }

  // Merges the last binding with an elementwise kernel whose result it copies first.
  bool compute_while_copying(BindingList& bindings) {
    const std::optional<KernelCall> call = kernel_call(bindings.last());
    if (!call || elementwise_block(*call->func)) return false;
    const std::vector<Ref<Buffer>> buffers = call->func->buffers();
    std::optional<BufferSet> copied;
    for (size_t i = 0; i < call->inputs.size(); ++i) {
      const auto producer = only_producer(bindings, call->inputs[i]);
      auto first = producer == bindings.none() ? std::nullopt : kernel_call(*producer);
      if (!first) continue;
      if (!copied) copied = copied_in(call->func);
      if (!copied->contains(buffers[i].get())) continue;
      first->func = inlined_form(first->func);
      const Block* block = elementwise_block(*first->func);
      if (!block || checks_indices(find<BufferStore>(block->body)->value)) continue;
      JoinedPair joined = join_pair(*first, *call, i);
      if (!is_inlined(*joined.func, *joined.between)) continue;
      joined.func = PrimFunc::make(joined.func->params, joined.func->body, call->func->attrs.without(kOpPattern));
      count_once(*first, *call, i);
      const Type& type = call->outputs[0];
      bindings.last().value = call_of(joined, joined_name(*first, *call), type, bindings.last().value->span);
      explain_merge(*producer, *first, *call, bindings.last());
      bindings.remove(producer);
      return true;
    }
    return false;
  }

  // Returns the buffers that the kernel copies first. A copy that is inlined, as that of a depthwise convolution, is
  // none.
  BufferSet copied_in(const Ref<PrimFunc>& func) {
    BufferSet copied = copied_buffers(*func);
    if (copied.empty()) return copied;
    const BufferSet stay = copied_buffers(*inlined_form(func));
    std::erase_if(copied, [&](const Buffer* b) { return !stay.contains(b); });
    return copied;
  }

  static bool reads(const Scalar& value, const Ref<Buffer>& buffer) {
    bool found = false;
    for_each_load(value, [&](const BufferLoad& l) { found = found || l.buffer == buffer; });
    return found;
  }

  BindingList::Place only_producer(BindingList& bindings, const Expr& e) {
    const auto producer = bindings.producer_of(e);
    const bool is_only = producer != bindings.none() && uses_[producer->var] == 1 && !producer->is_match_cast();
    return is_only ? producer : bindings.none();
  }

  // Two merged kernels use what both read once.
  void count_once(const KernelCall& first, const KernelCall& second, size_t shared) {
    for (size_t i = 0; i < second.inputs.size(); ++i)
      if (const Ref<Var> input = find_ref<Var>(second.inputs[i]);
          i != shared && input && std::ranges::find(first.inputs, second.inputs[i]) != first.inputs.end())
        --uses_[input];
  }

  // Returns the call when it only moves elements. A view of elements that a kernel moves counts as a kernel.
  std::optional<KernelCall> moving_call(BindingList& bindings, const Binding& b, bool is_key) {
    if (const Call* view = find_call(b.value, "memory.view")) {
      const auto source = only_producer(bindings, view->args[0]);
      const auto *from = find<TensorType>(view->args[0]->type), *to = find<TensorType>(b.value->type);
      if (source == bindings.none() || view->args.size() != 2 || !from || !from->dims() || !to->dims() ||
          from->dtype != to->dtype || !moving_call(bindings, *source, is_key))
        return std::nullopt;
      const Ref<PrimFunc> func = view_kernel(view->args[0]->type, b.value->type);
      if (!func) return std::nullopt;
      KernelCall out{nullptr, {view->args[0]}, {b.value->type}, func, {}};
      for (const PrimParam& p : func->params)
        if (!p.buffer) out.symbols[p.var] = p.var;
      return out;
    }
    std::optional<KernelCall> call = kernel_call(b);
    if (!call) return std::nullopt;
    call->func = inlined_form(call->func);
    const Block* block = elementwise_block(*call->func);
    return block && moves_elements(*block, !is_key) ? call : std::nullopt;
  }

  std::optional<Attention> attention_of(const PrimFunc& func) const {
    const std::optional<RootBody> root = read_root(func);
    return root ? find_attention(func, *root) : std::nullopt;
  }

  static bool same_shape(const Type& a, const Type& b) {
    const auto *x = find<TensorType>(a), *y = find<TensorType>(b);
    if (!x || !y || !x->dims() || !y->dims() || x->rank != y->rank) return false;
    Analyzer analyzer;
    return std::ranges::equal(*x->dims(), *y->dims(),
                              [&](const Scalar& p, const Scalar& q) { return analyzer.can_prove_equal(p, q); });
  }

  // False when the temporary between the two kernels would remain as large as a tensor.
  bool is_worth(const JoinedPair& joined) const {
    return stays_in_kernel(*joined.between) || is_inlined(*joined.func, *joined.between) ||
           !summarize_kernel(joined.func).held.contains(joined.between->name);
  }

  static std::string joined_name(const KernelCall& first, const KernelCall& second) {
    const auto plain = [](std::string_view name) { return name.substr(name.starts_with("fused_") ? 6 : 0); };
    return fmt::format("fused_{}_{}", plain(first.callee->name), plain(second.callee->name));
  }

  Expr call_of(const JoinedPair& joined, const std::string& name, const Type& type, const Span& span) {
    return call_kernel(functions_, name, joined.func, joined.inputs, type, span);
  }

  BlockBuilder functions_;
  const PassContext& ctx_;
  std::string function_;  // the one that is fused
  std::unordered_map<Ref<Var>, int> uses_;
  std::unordered_map<Ref<PrimFunc>, Ref<PrimFunc>> inlined_;  // the forms of kernels
};

}  // namespace

Module fuse_kernels(const Module& m, const PassContext& ctx) { return Fuser(m, ctx).run(); }

}  // namespace sunmao
