#include "passes/analysis/op_pattern.h"

#include <algorithm>

#include "loop/walk.h"

namespace sunmao {
namespace {

bool is_zero(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 0;
}

bool is_one(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 1;
}

const Scalar& without_casts(const Scalar& s) {
  const auto* cast = find<Cast>(s);
  return cast ? without_casts(cast->value) : s;
}

bool uses_any(const Scalar& s, const std::vector<Ref<SymVar>>& symbols) {
  return std::ranges::any_of(symbols, [&](const Ref<SymVar>& v) { return uses(s, *v); });
}

// An index into a dimension of size 1 may be 0 or the iterator of that dimension.
bool is_elementwise(const BufferStore& store, const BufferLoad& load) {
  if (store.indices.size() != load.indices.size()) return false;
  for (size_t i = 0; i < load.indices.size(); ++i) {
    const bool is_single = is_one(load.buffer->shape[i]) && is_one(store.buffer->shape[i]) && is_zero(load.indices[i]);
    if (load.indices[i] != store.indices[i] && !is_single) return false;
  }
  return true;
}

// Returns the first alternative of an index that is that or 0, as sizes say; other indices unchanged.
const Scalar& without_choice(const BufferStore& store, const Scalar& index) {
  const auto* choice = find<Select>(index);
  if (!choice || !is_zero(choice->else_value)) return index;
  const bool is_of_sizes = std::ranges::none_of(store.indices, [&](const Scalar& i) {
    const auto* var = find<SymVar>(i);
    return !var || uses(choice->condition, *var);
  });
  return is_of_sizes ? choice->then_value : index;
}

bool is_broadcast(const BufferStore& store, const BufferLoad& load) {
  auto next = store.indices.begin();
  for (size_t i = 0; i < load.indices.size(); ++i) {
    if (is_one(load.buffer->shape[i]) && is_zero(load.indices[i])) continue;
    next = std::find(next, store.indices.end(), without_choice(store, load.indices[i]));
    if (next == store.indices.end()) return false;
  }
  return true;
}

bool is_injective(const BufferStore& store, const BufferLoad& load) {
  if (!std::ranges::all_of(store.indices, [](const Scalar& i) { return find<SymVar>(i); })) return false;
  auto is_stored = [&](const Ref<SymVar>& v) {
    return std::ranges::find(store.indices, Scalar(v)) != store.indices.end();
  };
  return std::ranges::all_of(load.indices, [&](const Scalar& i) {
    return std::ranges::all_of(free_symbols(without_choice(store, i)), is_stored);
  });
}

OpPattern pattern_between(const BufferStore& store, const BufferLoad& load) {
  if (is_elementwise(store, load)) return OpPattern::Elementwise;
  if (is_broadcast(store, load)) return OpPattern::Broadcast;
  return is_injective(store, load) ? OpPattern::Injective : OpPattern::Opaque;
}

// True when the elements that the load reads are read again for other elements of the output.
bool is_reused(const BufferStore& store, const BufferLoad& load) {
  return std::ranges::all_of(store.indices, [](const Scalar& i) { return find<SymVar>(i); }) &&
         std::ranges::any_of(store.indices, [&](const Scalar& i) {
           return std::ranges::none_of(load.indices, [&](const Scalar& x) { return uses(x, *find<SymVar>(i)); });
         });
}

// True for a statement of the form C[…] = C[…] + A[…] * B[…], casts aside, where A and B are read several times.
bool is_multiply_add(const Stmt& body) {
  const auto* store = find<BufferStore>(body);
  const auto* sum = store ? find<Binary>(without_casts(store->value)) : nullptr;
  if (!sum || sum->op != BinaryOp::Add) return false;
  const auto* old = find<BufferLoad>(without_casts(sum->a));
  const auto* product = find<Binary>(without_casts(sum->b));
  if (!old || old->buffer != store->buffer || old->indices != store->indices) return false;
  if (!product || product->op != BinaryOp::Mul) return false;
  const auto *a = find<BufferLoad>(without_casts(product->a)), *b = find<BufferLoad>(without_casts(product->b));
  return a && b && is_reused(*store, *a) && is_reused(*store, *b);
}

class PatternFinder final : public StmtVisitor {
 public:
  explicit PatternFinder(const PrimFunc& func) : params_(func.buffers()) { visit(func.body); }
  OpPattern result() const { return pattern_; }

 private:
  void visit(const Stmt& s) override {
    if (const auto* block = find<Block>(s)) return visit_block(*block);
    if (const auto* store = find<BufferStore>(s)) {
      if (store_ && store->indices != store_->indices) return restrict_to(OpPattern::Opaque);
      store_ = store;
      writes_param_ |= std::ranges::find(params_, store->buffer) != params_.end();
    }
    visit_parts(s);
  }

  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      if (const auto* load = find<BufferLoad>(node)) loads_.push_back(load);
    });
  }

  void visit_block(const Block& block) {
    if (block.name == "root") return visit(block.body);
    loads_.clear();
    store_ = nullptr;
    writes_param_ = false;
    visit(block.body);
    if (!store_) return restrict_to(OpPattern::Opaque);
    const OpPattern access = access_pattern();
    if (access == OpPattern::Opaque) return restrict_to(reduction_pattern(block));
    if (writes_param_ && pattern_ == OpPattern::Reduction)
      pattern_ = OpPattern::OutputFusible;
    else
      restrict_to(access);
  }

  OpPattern access_pattern() const {
    OpPattern found = OpPattern::Elementwise;
    bool any_elementwise = false;
    for (const BufferLoad* load : loads_) {
      const OpPattern one = pattern_between(*store_, *load);
      any_elementwise |= one == OpPattern::Elementwise;
      found = std::max(found, one);
    }
    return found == OpPattern::Broadcast && any_elementwise ? OpPattern::Elementwise : found;
  }

  OpPattern reduction_pattern(const Block& block) const {
    std::vector<Ref<SymVar>> reduced;
    for (const IterVar& i : block.iters)
      if (i.kind == IterKind::Reduce) reduced.push_back(i.var);
    if (reduced.empty()) return OpPattern::Opaque;
    if (is_multiply_add(block.body)) return OpPattern::OutputFusible;
    for (const BufferLoad* load : loads_)
      for (const Scalar& i : load->indices)
        if (!find<SymVar>(i) && uses_any(i, reduced)) return OpPattern::OutputFusible;
    return OpPattern::Reduction;
  }

  void restrict_to(OpPattern other) { pattern_ = std::max(pattern_, other); }

  const std::vector<Ref<Buffer>> params_;
  OpPattern pattern_ = OpPattern::Elementwise;
  // Of the current block: its store (the last one, when several store at equal indices) and its loads.
  const BufferStore* store_ = nullptr;
  bool writes_param_ = false;
  std::vector<const BufferLoad*> loads_;
};

}  // namespace

OpPattern find_op_pattern(const PrimFunc& func) { return PatternFinder(func).result(); }

}  // namespace sunmao
