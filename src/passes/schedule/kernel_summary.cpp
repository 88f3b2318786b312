#include "passes/schedule/kernel_summary.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "loop/walk.h"
#include "passes/schedule/inline_elementwise.h"
#include "passes/schedule/trailing_ones.h"

namespace sunmao {
namespace {

/// Finds the buffers that statements allocate within.
class AllocatedBuffers final : public StmtVisitor {
 public:
  std::set<std::string> names;
  using StmtVisitor::visit;

  void visit(const Stmt& s) override {
    if (const auto* alloc = find<AllocBuffer>(s)) names.insert(alloc->buffer->name);
    if (const auto* block = find<Block>(s))
      for (const Ref<Buffer>& b : block->alloc_buffers) names.insert(b->name);
    visit_parts(s);
  }
};

/// Places of statements that one family takes together.
struct Taken {
  size_t first, count;
};

/// What becomes of groups that some targets leave to other families.
enum class Uncertain : uint8_t { Taken, Left };

struct Grouping {
  std::vector<Taken> groups = {};
  bool has_uncertain = false;
};

/// Groups the statements of a kernel, asking families in the order in which `schedule` does.
Grouping grouped(const PrimFunc& func, RootBody root, Uncertain uncertain) {
  Grouping result;
  std::vector<Taken>& out = result.groups;
  for (size_t i = 0; i < root.stmts.size(); ++i) out.push_back({i, 1});
  for (const Family* family : families())
    for (size_t i = 0; i < root.stmts.size(); ++i) {
      const std::optional<StatementGroup> group = family->recognise(func, root, i);
      if (!group) continue;
      result.has_uncertain |= !group->is_certain;
      if (uncertain == Uncertain::Left && !group->is_certain) continue;
      const auto begin = static_cast<std::ptrdiff_t>(i), end = static_cast<std::ptrdiff_t>(i + group->count);
      for (size_t other = i + 1; other < i + group->count; ++other) out[i].count += out[other].count;
      out.erase(out.begin() + begin + 1, out.begin() + end);
      // What is taken is no nest of loops any more, so that no other family takes it.
      Stmt taken = Seq::make({root.stmts.begin() + begin, root.stmts.begin() + end});
      root.stmts.erase(root.stmts.begin() + begin + 1, root.stmts.begin() + end);
      root.stmts[i] = IfThenElse::make(IntImm::make(DType::bool_(), 1), std::move(taken));
    }
  return result;
}

/// Returns the temporaries that statements of different groups use, and those that nothing reads.
std::set<std::string> held_temporaries(const RootBody& root, const std::vector<Taken>& groups) {
  std::set<std::string> held;
  std::unordered_map<const Buffer*, size_t> owners;  // the number of the group that uses a buffer
  std::unordered_set<const Buffer*> is_read;
  std::unordered_set<const SymVar*> views;
  for (size_t g = 0; g < groups.size(); ++g)
    for (size_t i = 0; i < groups[g].count; ++i) {
      const Stmt& s = root.stmts[groups[g].first + i];
      AllocatedBuffers within;
      within.visit(s);
      held.merge(within.names);
      const BufferAccesses accesses = buffer_accesses(s);
      views.insert(accesses.views.begin(), accesses.views.end());
      const auto use = [&](const Buffer* b) {
        if (owners.try_emplace(b, g).first->second != g || groups[g].count == 1) held.insert(b->name);
      };
      for (const Buffer* b : accesses.stores) use(b);
      for (const auto& [b, count] : accesses.loads) {
        use(b);
        is_read.insert(b);
      }
    }
  for (const Ref<Buffer>& temp : root.temps)
    if (!is_read.contains(temp.get()) || views.contains(temp->data.get())) held.insert(temp->name);
  return held;
}

}  // namespace

// Dimensions of one element at the end hide what loops are; the schedules leave them out too.
KernelSummary summarize_kernel(const Ref<PrimFunc>& func) {
  const Ref<PrimFunc> narrow = without_trailing_ones(inline_elementwise(func));
  const std::optional<RootBody> root = read_root(*narrow);
  if (!root) {
    AllocatedBuffers all;
    all.visit(func->body);
    return {std::move(all.names)};
  }
  const Grouping taken = grouped(*narrow, *root, Uncertain::Taken);
  KernelSummary out{held_temporaries(*root, taken.groups)};
  if (taken.has_uncertain) out.held.merge(held_temporaries(*root, grouped(*narrow, *root, Uncertain::Left).groups));
  return out;
}

}  // namespace sunmao
