#include "passes/fuse/kernel_blocks.h"

#include <algorithm>
#include <optional>

#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/store_nest.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

bool is_one(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 1;
}

/// Returns the product of sizes; 0 where one is not a number.
int64_t known_product(const std::vector<Scalar>& sizes) {
  int64_t out = 1;
  for (const Scalar& size : sizes) out *= find_int(size) ? *find_int(size) : 0;
  return out;
}

/// True when loops that fill a temporary are about as many as the elements of a buffer, and no fewer; where a run says
/// their numbers, by a small difference in each dimension.
bool are_about_as_many(const std::vector<Scalar>& extents, const std::vector<Scalar>& shape) {
  constexpr int64_t kMostAround = 8;  // elements that are put around a dimension
  const int64_t iterations = known_product(extents), elements = known_product(shape);
  if (iterations > 0 && elements > 0) return iterations >= elements && iterations <= 2 * elements;
  if (extents.size() != shape.size()) return false;
  Analyzer analyzer;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Scalar around = analyzer.simplify(as_index(extents[d]) - as_index(shape[d]));
    const int64_t* count = find_int(around);
    if (!count || *count < 0 || *count > kMostAround) return false;
  }
  return true;
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

BufferSet read_at_own_element(const Block& block) {
  BufferSet read, read_otherwise;
  for_each_load(find<BufferStore>(block.body)->value, [&](const BufferLoad& l) {
    bool is_own = l.indices.size() == block.iters.size();
    for (size_t i = 0; i < l.indices.size(); ++i)
      is_own &= i < block.iters.size() && (l.indices[i] == Scalar(block.iters[i].var) || is_one(l.buffer->shape[i]));
    (is_own ? read : read_otherwise).insert(l.buffer.get());
  });
  for (const Buffer* b : read_otherwise) read.erase(b);
  return read;
}

BufferSet copied_buffers(const PrimFunc& kernel) {
  const std::optional<RootBody> root = read_root(kernel);
  if (!root) return {};
  BufferSet copied, used_otherwise;
  for (const Stmt& s : root->stmts) {
    const std::unordered_map<const Buffer*, int> loads = buffer_accesses(s).loads;
    if (loads.empty()) continue;
    const std::optional<StoreNest> nest = read_store_nest(s);
    const bool fills_temporary =
        nest && nest->is_spatial() && std::ranges::find(root->temps, nest->buffer) != root->temps.end();
    for (const auto& [buffer, count] : loads) {
      const bool is_copy = fills_temporary && count == 1 && are_about_as_many(nest->extents, buffer->shape) &&
                           copied.insert(buffer).second;
      if (!is_copy) used_otherwise.insert(buffer);
    }
  }
  for (const Buffer* b : used_otherwise) copied.erase(b);
  return copied;
}

}  // namespace sunmao
