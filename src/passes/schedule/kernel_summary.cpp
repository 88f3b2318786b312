#include "passes/schedule/kernel_summary.h"

#include <algorithm>
#include <unordered_map>

#include "loop/walk.h"
#include "passes/schedule/inline_elementwise.h"
#include "passes/schedule/trailing_ones.h"

namespace sunmao {
namespace {

/// Finds the buffers that statements name, and those that they allocate.
class BuffersNamed final : public StmtVisitor {
 public:
  std::set<const Buffer*> used, allocated;
  using StmtVisitor::visit;

  void visit(const Stmt& s) override {
    if (const auto* store = find<BufferStore>(s)) used.insert(store->buffer.get());
    if (const auto* view = find<DeclBuffer>(s)) views_.push_back(view->buffer->data.get());
    if (const auto* alloc = find<AllocBuffer>(s)) allocated.insert(alloc->buffer.get());
    if (const auto* block = find<Block>(s)) {
      for (const Ref<Buffer>& b : block->alloc_buffers) allocated.insert(b.get());
      for (const MatchBufferRegion& m : block->match_buffers) used.insert(m.source.buffer.get());
    }
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    for_each_load(s, [&](const BufferLoad& load) { used.insert(load.buffer.get()); });
  }
  bool has_view_of(const Buffer& buffer) const {
    return buffer.data && std::ranges::find(views_, buffer.data.get()) != views_.end();
  }

 private:
  std::vector<const Node*> views_;
};

/// Places of statements that one family takes together.
struct Taken {
  size_t first, count;
};

/// Groups the statements of a kernel, asking families in the order in which `schedule` does.
std::vector<Taken> grouped(const PrimFunc& func, RootBody root) {
  std::vector<Taken> out;
  for (size_t i = 0; i < root.stmts.size(); ++i) out.push_back({i, 1});
  for (const Family* family : families())
    for (size_t i = 0; i < root.stmts.size(); ++i) {
      const std::optional<StatementGroup> group = family->recognise(func, root, i);
      if (!group) continue;
      const auto begin = static_cast<std::ptrdiff_t>(i), end = static_cast<std::ptrdiff_t>(i + group->count);
      for (size_t other = i + 1; other < i + group->count; ++other) out[i].count += out[other].count;
      out.erase(out.begin() + begin + 1, out.begin() + end);
      // What is taken is no nest of loops any more, so that no other family takes it.
      Stmt taken = Seq::make({root.stmts.begin() + begin, root.stmts.begin() + end});
      root.stmts.erase(root.stmts.begin() + begin + 1, root.stmts.begin() + end);
      root.stmts[i] = IfThenElse::make(IntImm::make(DType::bool_(), 1), std::move(taken));
    }
  return out;
}

std::set<std::string> held_temporaries(const RootBody& root, const std::vector<Taken>& groups) {
  std::set<std::string> held;
  std::unordered_map<const Buffer*, size_t> users;  // the number of the group that uses a buffer
  for (size_t g = 0; g < groups.size(); ++g) {
    BuffersNamed in;
    for (size_t i = 0; i < groups[g].count; ++i) in.visit(root.stmts[groups[g].first + i]);
    for (const Buffer* b : in.allocated) held.insert(b->name);
    for (const Ref<Buffer>& temp : root.temps) {
      if (!in.used.contains(temp.get()) && !in.has_view_of(*temp)) continue;
      const bool is_only = users.try_emplace(temp.get(), g).first->second == g && !in.has_view_of(*temp);
      if (!is_only || groups[g].count == 1) held.insert(temp->name);
    }
  }
  return held;
}

}  // namespace

// Dimensions of one element at the end hide what loops are; the schedules leave them out too.
KernelSummary summarize_kernel(const Ref<PrimFunc>& func) {
  KernelSummary out{.inlined = inline_elementwise(func), .held = {}};
  const Ref<PrimFunc> narrow = without_trailing_ones(out.inlined);
  if (const std::optional<RootBody> root = read_root(*narrow)) {
    out.held = held_temporaries(*root, grouped(*narrow, *root));
  } else {
    BuffersNamed all;
    all.visit(func->body);
    for (const Buffer* b : all.allocated) out.held.insert(b->name);
  }
  return out;
}

}  // namespace sunmao
