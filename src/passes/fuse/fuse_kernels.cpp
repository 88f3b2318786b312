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
#include "loop/builder.h"
#include "loop/calls.h"
#include "loop/walk.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/analysis/op_pattern.h"
#include "passes/fuse/kernel_blocks.h"
#include "passes/fuse/moved_elements.h"
#include "passes/layout/layout_marks.h"
#include "passes/lower/large_temporaries.h"
#include "passes/passes.h"
#include "passes/schedule/inline_elementwise.h"
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
  Fuser(const Module& module, const PassContext& ctx) : functions_(module), target_(ctx.target), ctx_(ctx) {}

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
  // Two kernels as one; `between` is what the first hands to the second.
  struct Joined {
    Ref<PrimFunc> func;
    Ref<Buffer> between;
    std::vector<Expr> inputs;
  };

  Ref<BindingBlock> fuse(const Ref<BindingBlock>& block) {
    std::vector<Binding> out;
    bool changed = false;
    for (const Binding& b : block->bindings) {
      out.push_back(b);
      while (fuse_last(out) || read_before_moves(out) || compute_while_copying(out)) changed = true;
      if (ctx_.on_explain) explain_what_stays_apart(out);
    }
    if (!changed) return block;
    return block->is_dataflow ? BindingBlock::make_dataflow(std::move(out), block->span)
                              : BindingBlock::make(std::move(out), block->span);
  }

  // Merges the last binding with the binding that produces one of its inputs, if that input has no other consumer.
  bool fuse_last(std::vector<Binding>& bindings) {
    std::optional<KernelCall> call = kernel_call(bindings.back());
    if (!call) return false;
    const Block* block = consuming_block(*call);
    if (!block) return false;
    for (size_t i = 0; i < call->inputs.size(); ++i) {
      const auto producer = producer_of(bindings, call->inputs[i]);
      const auto first = producer == bindings.end() ? std::nullopt : kernel_call(*producer);
      if (!first) continue;
      Joined joined;
      if (obstacle(*first, *call, *block, i, joined)) continue;
      count_once(*first, *call, i);
      bindings.back().value = call_of(joined, joined_name(*first, *call), call->outputs[0], producer->value->span);
      explain_merge(*producer, *first, *call, bindings.back());
      bindings.erase(producer);
      return true;
    }
    return false;
  }

  // The call of a kernel with one result; nullopt for other bindings.
  std::optional<KernelCall> kernel_call(const Binding& b) const {
    auto call = b.is_match_cast() ? std::nullopt : find_kernel_call(b.value, functions_.module());
    return call && call->outputs.size() == 1 ? call : std::nullopt;
  }

  static std::vector<Binding>::iterator producer_of(std::vector<Binding>& bindings, const Expr& e) {
    const Ref<Var> var = find_ref<Var>(e);
    return var ? std::ranges::find_if(bindings, [&](const Binding& b) { return b.var == var; }) : bindings.end();
  }

  // Returns the block of a kernel that may be computed where another one ends, or null. What was merged before, as
  // y * sigmoid(y), may be elementwise as a whole.
  const Block* consuming_block(KernelCall& call) const {
    if (const Block* block = elementwise_block(*call.func, call.func->attrs.has(kRelayoutAttr))) return block;
    if (statements(*call.func) > kMostStatements) return nullptr;
    const Ref<PrimFunc> inlined = inline_elementwise(call.func, target_);
    const Block* block = elementwise_block(*inlined);
    if (block) call.func = inlined;
    return block;
  }

  // Says why a kernel is not merged with the kernel `call` that reads its result as input `i`; null when it is, as
  // `joined` then.
  const char* obstacle(const KernelCall& first, const KernelCall& call, const Block& block, size_t i, Joined& joined) {
    const Expr& input = call.inputs[i];
    if (uses_[find_ref<Var>(input)] != 1) return "others read it too";
    if (!root_of(*first.func)) return "it is no kernel of loops";
    const Ref<Buffer> shared = call.func->buffers()[i];
    const bool changes_layout = call.func->attrs.has(kRelayoutAttr);
    const bool is_own =
        reads_own_element(block, shared) && (changes_layout || same_shape(input->type, call.outputs[0]));
    if (!is_own && !(permutes(block, shared) && attention_of(*first.func)))
      return "its elements are read in another order";
    if (statements(*first.func) + statements(*call.func) > kMostStatements) return "the two have too many statements";
    joined = join(first, call, i);
    if (changes_layout ? !is_inlined(*joined.func, *joined.between, target_) : !is_worth(joined))
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
  void explain_what_stays_apart(std::vector<Binding>& bindings) {
    const Binding consumer = bindings.back();
    std::optional<KernelCall> call = kernel_call(consumer);
    const Block* block = call ? consuming_block(*call) : nullptr;
    for (size_t i = 0; call && i < call->inputs.size(); ++i) {
      const auto producer = producer_of(bindings, call->inputs[i]);
      const auto first = producer == bindings.end() ? std::nullopt : kernel_call(*producer);
      if (!first) continue;
      Joined joined;
      const char* why = block ? obstacle(*first, *call, *block, i, joined) : "the latter is not elementwise";
      ctx_.on_explain(fmt::format("{}: `{}` ({}) stays apart from `{}` ({}): {}", function_, producer->var->name,
                                  first->callee->name, consumer.var->name, call->callee->name, why));
    }
  }

  // Merges the last binding, if it is an attention, with the bindings that move the elements of its operands.
  bool read_before_moves(std::vector<Binding>& bindings) {
    const Binding consumer = bindings.back();
    std::optional<KernelCall> call = kernel_call(consumer);
    if (!call) return false;
    std::optional<Joined> all;
    std::vector<std::pair<Binding, KernelCall>> moves;
    while (std::optional<Joined> joined = with_move(bindings, *call, moves)) {
      call->inputs = joined->inputs;
      call->func = joined->func;
      call->symbols = {};
      for (const PrimParam& p : call->func->params)
        if (!p.buffer) call->symbols[p.var] = p.var;
      all = std::move(joined);
    }
    if (!all) return false;
    bindings.back().value = call_of(*all, "fused_" + call->callee->name, call->outputs[0], consumer.value->span);
    for (const auto& [producer, first] : moves) explain_merge(producer, first, *call, bindings.back());
    return true;
  }

  // Merges an attention with the binding that moves the elements of one of its operands, and puts that binding into
  // `moves` instead; nullopt when there is none.
  std::optional<Joined> with_move(std::vector<Binding>& bindings, const KernelCall& call,
                                  std::vector<std::pair<Binding, KernelCall>>& moves) {
    const std::optional<Attention> attention = attention_of(*call.func);
    for (size_t i = 0; attention && i < call.inputs.size(); ++i) {
      const Ref<Buffer> operand = call.func->buffers()[i];
      const bool is_key = reads(attention->key_element, operand);
      if (!is_key && !reads(attention->query, operand) && !reads(attention->value, operand)) continue;
      const auto producer = only_producer(bindings, call.inputs[i]);
      const auto first = producer == bindings.end() ? std::nullopt : moving_call(bindings, *producer, is_key);
      if (!first) continue;
      Joined joined = join(*first, call, i);
      if (!is_inlined(*joined.func, *joined.between, target_)) continue;
      joined.func = inline_elementwise(joined.func, target_);  // so that the operand is what is read now
      count_once(*first, call, i);
      moves.emplace_back(*producer, *first);
      bindings.erase(producer);
      return joined;
    }
    return std::nullopt;
  }

  // Merges the last binding with an elementwise kernel whose result it copies first.
  bool compute_while_copying(std::vector<Binding>& bindings) {
    const Binding consumer = bindings.back();
    const std::optional<KernelCall> call = kernel_call(consumer);
    if (!call || elementwise_block(*call->func)) return false;
    const std::vector<Ref<Buffer>> buffers = call->func->buffers();
    Ref<PrimFunc> inlined;
    for (size_t i = 0; i < call->inputs.size(); ++i) {
      const auto producer = only_producer(bindings, call->inputs[i]);
      auto first = producer == bindings.end() ? std::nullopt : kernel_call(*producer);
      if (!first || !copies(*call->func, *buffers[i])) continue;
      // A copy that is inlined, as that of a depthwise convolution, is none.
      if (!inlined) inlined = inline_elementwise(call->func, target_);
      if (!copies(*inlined, *buffers[i])) continue;
      first->func = inline_elementwise(first->func, target_);
      const Block* block = elementwise_block(*first->func);
      if (!block || checks_indices(find<BufferStore>(block->body)->value)) continue;
      Joined joined = join(*first, *call, i);
      if (!is_inlined(*joined.func, *joined.between, target_)) continue;
      joined.func = PrimFunc::make(joined.func->params, joined.func->body, call->func->attrs.without(kOpPattern));
      count_once(*first, *call, i);
      bindings.back().value = call_of(joined, joined_name(*first, *call), call->outputs[0], consumer.value->span);
      explain_merge(*producer, *first, *call, bindings.back());
      bindings.erase(producer);
      return true;
    }
    return false;
  }

  static bool reads(const Scalar& value, const Ref<Buffer>& buffer) {
    bool found = false;
    for_each_load(value, [&](const BufferLoad& l) { found = found || l.buffer == buffer; });
    return found;
  }

  std::vector<Binding>::iterator only_producer(std::vector<Binding>& bindings, const Expr& e) {
    const auto producer = producer_of(bindings, e);
    const bool is_only = producer != bindings.end() && uses_[producer->var] == 1 && !producer->is_match_cast();
    return is_only ? producer : bindings.end();
  }

  // Two merged kernels use what both read once.
  void count_once(const KernelCall& first, const KernelCall& second, size_t shared) {
    for (size_t i = 0; i < second.inputs.size(); ++i)
      if (const Ref<Var> input = find_ref<Var>(second.inputs[i]);
          i != shared && input && std::ranges::find(first.inputs, second.inputs[i]) != first.inputs.end())
        --uses_[input];
  }

  // Returns the call when it only moves elements. A view of elements that a kernel moves counts as a kernel.
  std::optional<KernelCall> moving_call(std::vector<Binding>& bindings, const Binding& b, bool is_key) {
    if (const Call* view = find_call(b.value, "memory.view")) {
      const auto source = only_producer(bindings, view->args[0]);
      const auto *from = find<TensorType>(view->args[0]->type), *to = find<TensorType>(b.value->type);
      if (source == bindings.end() || view->args.size() != 2 || !from || !from->dims() || !to->dims() ||
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
    call->func = inline_elementwise(call->func, target_);
    const Block* block = elementwise_block(*call->func);
    return block && moves_elements(*block, !is_key) ? call : std::nullopt;
  }

  std::optional<Attention> attention_of(const PrimFunc& func) const {
    const std::optional<RootBody> root = read_root(func);
    return root ? find_attention(func, *root, target_) : std::nullopt;
  }

  static bool same_shape(const Type& a, const Type& b) {
    const auto *x = find<TensorType>(a), *y = find<TensorType>(b);
    if (!x || !y || !x->dims() || !y->dims() || x->rank != y->rank) return false;
    Analyzer analyzer;
    return std::ranges::equal(*x->dims(), *y->dims(),
                              [&](const Scalar& p, const Scalar& q) { return analyzer.can_prove_equal(p, q); });
  }

  static Joined join(const KernelCall& first, const KernelCall& second, size_t shared) {
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
    allocs.insert(allocs.end(), b->alloc_buffers.begin(), b->alloc_buffers.end());
    Stmt body = root_block(Seq::make({a->body, substitute(b->body, {}, joined)}), std::move(allocs));
    std::vector<Ref<SymVar>> used = scalar_symbols(first);
    std::ranges::copy(scalar_symbols(second), std::back_inserter(used));
    return {with_scalars(std::move(params), std::move(used), body, head->attrs.without(kOpPattern)), between,
            std::move(inputs)};
  }

  // False when the temporary between the two kernels would remain as large as a tensor.
  bool is_worth(const Joined& joined) const {
    return stays_in_kernel(*joined.between) || is_inlined(*joined.func, *joined.between, target_) ||
           !temporaries_left(joined.func, target_).contains(joined.between->name);
  }

  static std::string joined_name(const KernelCall& first, const KernelCall& second) {
    const auto plain = [](std::string_view name) { return name.substr(name.starts_with("fused_") ? 6 : 0); };
    return fmt::format("fused_{}_{}", plain(first.callee->name), plain(second.callee->name));
  }

  Expr call_of(const Joined& joined, const std::string& name, const Type& type, const Span& span) {
    return call_kernel(functions_, name, joined.func, joined.inputs, type, span);
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

  BlockBuilder functions_;
  const Target target_;
  const PassContext& ctx_;
  std::string function_;  // the one that is fused
  std::unordered_map<Ref<Var>, int> uses_;
};

}  // namespace

Module fuse_kernels(const Module& m, const PassContext& ctx) { return Fuser(m, ctx).run(); }

}  // namespace sunmao
