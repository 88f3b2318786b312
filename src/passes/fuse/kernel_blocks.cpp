#include "passes/fuse/kernel_blocks.h"

#include <algorithm>
#include <optional>

#include "loop/walk.h"
#include "passes/loop/store_nest.h"

namespace sunmao {
namespace {

bool is_one(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 1;
}

}  // namespace

const Block* root_of(const PrimFunc& f) {
  const auto* realize = find<BlockRealize>(f.body);
  return realize && realize->values.empty() ? realize->block.get() : nullptr;
}

const Block* elementwise_block(const PrimFunc& f, bool changes_layout) {
  const Block* root = root_of(f);
  if (!root || !root->alloc_buffers.empty()) return nullptr;
  Stmt s = root->body;
  while (const auto* loop = find<For>(s)) s = loop->body;
  const auto* realize = find<BlockRealize>(s);
  const auto* store = realize && !realize->block->init ? find<BufferStore>(realize->block->body) : nullptr;
  if (store && changes_layout) return realize->block.get();
  if (!store || realize->block->iters.size() != store->indices.size()) return nullptr;
  for (size_t i = 0; i < store->indices.size(); ++i) {
    const IterVar& iter = realize->block->iters[i];
    if (iter.kind != IterKind::Spatial || store->indices[i] != Scalar(iter.var)) return nullptr;
  }
  return realize->block.get();
}

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

bool copies(const PrimFunc& kernel, const Buffer& buffer) {
  const std::optional<RootBody> root = read_root(kernel);
  int copied = 0;
  for (size_t i = 0; root && i < root->stmts.size(); ++i) {
    const int loads = count_loads(root->stmts[i], buffer);
    if (loads == 0) continue;
    const std::optional<StoreNest> nest = loads == 1 ? read_store_nest(root->stmts[i]) : std::nullopt;
    if (!nest || !nest->is_spatial() || std::ranges::find(root->temps, nest->buffer) == root->temps.end()) return false;
    const auto count = [](const std::vector<Scalar>& extents) {
      int64_t out = 1;
      for (const Scalar& e : extents) out *= find_int(e) ? *find_int(e) : 0;
      return out;
    };
    const int64_t elements = count(buffer.shape);
    if (elements == 0 || count(nest->extents) < elements || count(nest->extents) > 2 * elements) return false;
    ++copied;
  }
  return copied == 1;
}

}  // namespace sunmao
