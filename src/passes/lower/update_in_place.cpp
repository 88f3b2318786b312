// The pass `update-in-place`: a kernel that copies an operand to its result and then overwrites parts of the result,
// such as a scatter, gets an in-place form. Calls at the last use of the operand become calls of that form. Whether the
// memory can be reused is decided at run time, because the function's caller may still own the operand.
#include <algorithm>
#include <set>

#include "ir/builder.h"
#include "loop/walk.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/analysis/state_params.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

/// Looks at a statement: whether it copies elements of `from` to the same indices of `to` and does nothing else, and
/// whether it reads or changes `from`.
class CopyCheck final : public StmtVisitor {
 public:
  CopyCheck(const Ref<Buffer>& from, const Ref<Buffer>& to) : from_(from), to_(to) {}

  bool copies_only() const { return stores_ > 0 && !does_more_; }
  bool touches() const { return touches_; }
  int stores() const { return stores_; }

  void visit(const Stmt& s) override {
    if (const auto* store = find<BufferStore>(s)) {
      const auto* load = find<BufferLoad>(store->value);
      does_more_ |= store->buffer != to_ || !load || load->buffer != from_ || store->predicate || load->predicate ||
                    !std::ranges::equal(load->indices, store->indices, is_same);
      touches_ |= store->buffer == from_;
      ++stores_;
    }
    const auto* block = find<Block>(s);
    const bool is_plain = find<For>(s) || find<BlockRealize>(s) || find<BufferStore>(s) || find<Seq>(s) ||
                          (block && !block->init && block->alloc_buffers.empty() && block->match_buffers.empty());
    does_more_ |= !is_plain;
    // Views of memory may be views of the operand.
    touches_ |= find<DeclBuffer>(s) || (block && !block->match_buffers.empty());
    StmtVisitor::visit(s);
  }

  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      const auto* load = find<BufferLoad>(node);
      touches_ |= (load && load->buffer == from_) || (from_->data && node == Scalar(from_->data));
    });
  }

 private:
  static bool is_same(const Scalar& a, const Scalar& b) { return structural_equal(a, b); }

  const Ref<Buffer>&from_, &to_;
  int stores_ = 0;
  bool does_more_ = false, touches_ = false;
};

/// Collects the pairs of buffers of which a store copies an element of the first to the second.
class CopiedPairs final : public StmtVisitor {
 public:
  std::set<std::pair<const Buffer*, const Buffer*>> found;

  void visit(const Stmt& s) override {
    const auto* store = find<BufferStore>(s);
    const auto* load = store ? find<BufferLoad>(store->value) : nullptr;
    if (load) found.emplace(load->buffer.get(), store->buffer.get());
    StmtVisitor::visit(s);
  }
};

std::set<std::pair<const Buffer*, const Buffer*>> copied_pairs(const PrimFunc& f) {
  CopiedPairs pairs;
  pairs.visit(f.body);
  return std::move(pairs.found);
}

/// Removes the loops that copy `from` to `to`.
class CopyRemover final : public StmtRewriter {
 public:
  CopyRemover(const Ref<Buffer>& from, const Ref<Buffer>& to) : from_(from), to_(to) {}
  int removed() const { return removed_; }
  using StmtRewriter::visit;

  Stmt visit(const Stmt& s) override {
    if (!find<For>(s)) return StmtRewriter::visit(s);
    CopyCheck check(from_, to_);
    check.visit(s);
    if (!check.copies_only()) return s;
    removed_ += check.stores();
    return {};
  }

 private:
  const Ref<Buffer>&from_, &to_;
  int removed_ = 0;  // stores
};

/// A kernel that changes operands, and for each of its results the operand in whose place it is, or -1.
struct Update {
  Ref<GlobalVar> callee;
  std::vector<int64_t> places;
};

class Updater final : public Rewriter {
 public:
  explicit Updater(const Module& m) : module_(m), functions_(m) {}

  Module run() {
    Module rewritten = map_functions(module_, [&](const Ref<Function>& f) {
      uses_left_ = count_uses(Expr(f));
      kept_.clear();
      // A function that callers see must leave what they pass as it is; what sessions keep is its own.
      if (f->attrs.find("global_symbol")) kept_.insert(f->params.begin(), f->params.end());
      for (const StateParam& s : kept_state_params(*f, "a function")) kept_.erase(s.param);
      return rewrite(f);
    });
    if (rewritten.same_as(module_)) return module_;
    return with_new_functions(rewritten, functions_.module());
  }

 private:
  using Rewriter::visit;
  using Uses = std::unordered_map<Ref<Var>, int>;

  void visit(const Binding& b) override {
    const std::optional<KernelCall> kernel = b.is_match_cast() ? std::nullopt : find_kernel_call(b.value, module_);
    const Uses uses = find<If>(b.value) ? Uses() : count_uses(b.value);
    for (const auto& [var, count] : uses) uses_left_[var] -= count;
    const Update update = kernel ? update_of(*kernel, uses) : Update();
    if (!update.callee) return Rewriter::visit(b);
    const Call& call = *find<Call>(b.value);
    std::vector<Expr> args = call.args;
    args[0] = update.callee;
    bind(b, Call::make_typed(builtin_ops().get("call_tir_inplace"), std::move(args),
                             call.attrs.with("inplace_indices", AttrValue::ints(update.places)), call.type_args,
                             call.type, call.span));
  }

  // True for a variable that is read once in a call, not behind it, and is no tensor of the caller's.
  bool is_read_last(const Expr& e, const Uses& uses) const {
    const Ref<Var> v = find_ref<Var>(e);
    return v && uses.at(v) == 1 && uses_left_.at(v) == 0 && !kept_.contains(v);
  }

  // Without a callee where the call cannot change an operand.
  Update update_of(const KernelCall& kernel, const Uses& uses) {
    const std::vector<Ref<Buffer>> buffers = kernel.func->buffers();
    const size_t inputs = kernel.inputs.size();
    Update out{nullptr, std::vector<int64_t>(kernel.outputs.size(), -1)};
    Ref<PrimFunc> func = kernel.func;
    auto copied = copied_pairs(*func);
    if (copied.empty()) return out;
    for (size_t r = 0; r < kernel.outputs.size(); ++r)
      for (size_t i = 0; i < inputs && out.places[r] < 0; ++i) {
        const bool is_copied = copied.contains({buffers[i].get(), buffers[inputs + r].get()});
        if (!is_copied || !is_read_last(kernel.inputs[i], uses)) continue;
        const Ref<PrimFunc> changing = with_result_in_place(func, buffers[i], buffers[inputs + r]);
        if (!changing) continue;
        func = changing;
        copied = copied_pairs(*func);
        out.places[r] = static_cast<int64_t>(i);
      }
    if (func != kernel.func) out.callee = functions_.add_function(kernel.callee->name + "_in_place", func);
    return out;
  }

  // Returns the function that writes to `operand` instead of `result`; null when it reads the operand besides.
  static Ref<PrimFunc> with_result_in_place(const Ref<PrimFunc>& f, const Ref<Buffer>& operand,
                                            const Ref<Buffer>& result) {
    const bool is_like = operand->dtype == result->dtype && operand->is_dense() && result->is_dense() &&
                         std::ranges::equal(operand->shape, result->shape,
                                            [](const Scalar& a, const Scalar& b) { return structural_equal(a, b); });
    if (!is_like) return nullptr;
    CopyCheck whole(operand, result);
    whole.visit(f->body);
    CopyRemover remover(operand, result);
    const Stmt rest = remover.visit(f->body);
    if (remover.removed() == 0 || remover.removed() == whole.stores()) return nullptr;
    CopyCheck check(operand, result);
    check.visit(rest);
    if (check.touches()) return nullptr;
    std::vector<PrimParam> params;
    for (const PrimParam& p : f->params)
      if (p.buffer != result) params.push_back(p);
    return PrimFunc::make(std::move(params), substitute(rest, {}, {{result, operand}}),
                          f->attrs.without("global_symbol"), f->result_type, f->span);
  }

  const Module& module_;
  BlockBuilder functions_;
  Uses uses_left_;  // of each variable, behind the binding that is visited
  std::unordered_set<Ref<Var>> kept_;
};

}  // namespace

Module update_in_place(const Module& m, const PassContext&) { return Updater(m).run(); }

}  // namespace sunmao
