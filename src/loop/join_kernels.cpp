#include "loop/join_kernels.h"

#include <algorithm>
#include <set>

#include "loop/builder.h"
#include "loop/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class RegionMerger final : public StmtRewriter {
 public:
  Stmt visit(const Stmt& s) override {
    Stmt visited = StmtRewriter::visit(s);
    const auto* block = find<Block>(visited);
    if (!block) return visited;
    Block::Parts parts = block->parts();
    const bool reads_change = merge(parts.reads), writes_change = merge(parts.writes);
    return reads_change || writes_change ? Stmt(Block::make(std::move(parts))) : visited;
  }

 private:
  static bool merge(std::vector<BufferRegion>& regions) {
    std::set<const Buffer*> seen;
    return std::erase_if(regions, [&](const BufferRegion& r) { return !seen.insert(r.buffer.get()).second; }) != 0;
  }
};

class KernelJoiner {
 public:
  void parameter(const Ref<Buffer>& b) {
    params_.push_back({SymVar::make("p_" + b->name, DType::handle()), fresh(b)});
    for (const Scalar& d : b->shape) note(d);
  }

  void add(const KernelUse& use) {
    const std::vector<Ref<Buffer>> own = use.kernel->buffers();
    SUNMAO_CHECK(own.size() == use.buffers.size(), "a kernel is applied to one buffer for each buffer parameter");
    BufferMap places;
    const auto first_made = static_cast<std::ptrdiff_t>(allocs_.size());
    for (size_t i = 0; i < own.size(); ++i) places[own[i]] = place_of(use.buffers[i]);
    for (const Ref<SymVar>& s : use.kernel->dims()) note(s);
    const Stmt body = substitute(with_fresh_names(use.kernel->body), {}, places);
    const auto* root = find<BlockRealize>(body);
    SUNMAO_CHECK(root, "the body of a kernel is a block");
    stmts_.push_back(with_merged_regions(root->block->body));
    const std::vector<Ref<Buffer>>& inner = root->block->alloc_buffers;
    allocs_.insert(allocs_.begin() + first_made, inner.begin(), inner.end());
  }

  Ref<PrimFunc> finish() && {
    std::vector<Ref<SymVar>> own;
    for (const PrimParam& p : params_)
      for (const Scalar& d : p.buffer->shape)
        if (find<SymVar>(d)) own.push_back(find_ref<SymVar>(d));
    for (const Ref<SymVar>& s : symbols_)
      if (std::ranges::find(own, s) == own.end()) params_.push_back({s, nullptr});
    return PrimFunc::make(std::move(params_), root_block(Seq::make(std::move(stmts_)), std::move(allocs_)),
                          Attrs().with("tirx.noalias", true));
  }

 private:
  // Dimensions of the copy are int64, as those of a tensor type are.
  Ref<Buffer> fresh(const Ref<Buffer>& b) {
    const Type type = TensorType::make(b->shape, b->dtype);
    return places_[b] = Buffer::make(b->name, b->dtype, *find<TensorType>(type)->dims());
  }
  Ref<Buffer> place_of(const Ref<Buffer>& b) {
    const auto known = places_.find(b);
    if (known != places_.end()) return known->second;
    allocs_.push_back(fresh(b));
    return allocs_.back();
  }
  void note(const Scalar& value) {
    for (const Ref<SymVar>& s : free_symbols(value))
      if (std::ranges::find(symbols_, s) == symbols_.end()) symbols_.push_back(s);
  }

  std::vector<PrimParam> params_;
  std::vector<Ref<Buffer>> allocs_;
  std::vector<Stmt> stmts_;
  std::vector<Ref<SymVar>> symbols_;
  BufferMap places_;  // buffer of the caller -> buffer of the function
};

}  // namespace

Stmt with_merged_regions(const Stmt& s) { return RegionMerger().visit(s); }

Ref<PrimFunc> join_kernels(const std::vector<Ref<Buffer>>& inputs, const std::vector<Ref<Buffer>>& outputs,
                           const std::vector<KernelUse>& kernels) {
  KernelJoiner joiner;
  for (const Ref<Buffer>& b : inputs) joiner.parameter(b);
  for (const Ref<Buffer>& b : outputs) joiner.parameter(b);
  for (const KernelUse& use : kernels) joiner.add(use);
  return std::move(joiner).finish();
}

}  // namespace sunmao
