#include "eval/kernel_runner.h"

#include <unordered_set>

#include "loop/builder.h"
#include "loop/walk.h"

namespace sunmao {
namespace {

// Collects the buffers that are stored to, and their data pointers.
class Stores final : public StmtVisitor {
 public:
  std::unordered_set<const Node*> written;
  using StmtVisitor::visit;

  void visit(const Stmt& s) override {
    if (find_prefetch(s)) return;
    if (const auto* store = find<BufferStore>(s)) {
      written.insert(store->buffer.get());
      if (store->buffer->data) written.insert(store->buffer->data.get());
    }
    // Buffers accessed through views count as written.
    if (const auto* block = find<Block>(s))
      for (const MatchBufferRegion& m : block->match_buffers) written.insert(m.source.buffer.get());
    if (const auto* view = find<DeclBuffer>(s); view && view->buffer->data) written.insert(view->buffer->data.get());
    if (const auto* realize = find<BlockRealize>(s))
      for (const MatchBufferRegion& m : realize->block->match_buffers) written.insert(m.source.buffer.get());
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      const auto* call = find<ScalarCall>(node);
      has_calls = has_calls || (call && (call->name.starts_with("call_") || call->name == "address_of" ||
                                         call->name.ends_with("access_ptr")));
    });
  }
  bool has_calls = false;
};

}  // namespace

std::vector<bool> written_params(const PrimFunc& func) {
  Stores stores;
  stores.visit(func.body);
  std::vector<bool> out;
  for (const PrimParam& p : func.params)
    out.push_back(p.buffer && (stores.has_calls || stores.written.contains(p.buffer.get()) ||
                               (p.buffer->data && stores.written.contains(p.buffer->data.get()))));
  return out;
}

}  // namespace sunmao
