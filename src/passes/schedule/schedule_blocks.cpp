#include "passes/schedule/schedule_blocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "loop/calls.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/store_nest.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr int64_t kUnknownLoop = 16;  // iterations

struct Loop {
  Ref<SymVar> var;
  Scalar extent;
};

/// A nest of loops around a block.
struct BlockNest {
  std::vector<Loop> loops;  // outermost first
  const BlockRealize* realize;

  /// Returns the iterator that a loop is; null where it is none of its own, or no spatial one.
  Ref<SymVar> spatial_iterator(const Loop& loop) const {
    Ref<SymVar> found;
    for (size_t i = 0; i < realize->values.size(); ++i) {
      if (!uses(realize->values[i], *loop.var)) continue;
      const IterVar& iter = realize->block->iters[i];
      if (found || realize->values[i].get() != loop.var.get() || iter.kind != IterKind::Spatial) return nullptr;
      found = iter.var;
    }
    return found;
  }
};

std::optional<BlockNest> read_block_nest(const Stmt& s) {
  BlockNest nest{};
  Stmt inner = s;
  while (const auto* loop = find<For>(inner)) {
    const int64_t* start = find_int(loop->min);
    if (loop->for_kind != ForKind::Serial || !start || *start != 0 || !loop->annotations.empty()) return std::nullopt;
    nest.loops.push_back({loop->var, loop->extent});
    inner = loop->body;
  }
  nest.realize = find<BlockRealize>(inner);
  if (!nest.realize || !nest.realize->block->match_buffers.empty()) return std::nullopt;
  return nest;
}

int64_t most_of(const Scalar& extent) {
  if (const int64_t* n = find_int(extent)) return *n;
  const auto* least = find<Binary>(extent);
  if (!least || least->op != BinaryOp::Min) return std::numeric_limits<int64_t>::max();
  return std::min(most_of(least->a), most_of(least->b));
}

/// The accesses of a block to buffers that are not its own, and the loops within it.
class Accesses final : public StmtVisitor {
 public:
  explicit Accesses(const Block& block) {
    for (const Ref<Buffer>& b : block.alloc_buffers) own_.push_back(b);
    if (block.init) visit(block.init);
    visit(block.body);
  }

  bool are_plain = true;  // there are no others than loads and stores of whole elements
  std::set<const Buffer*> stored;
  std::vector<std::pair<const Buffer*, const std::vector<Scalar>*>> all;
  std::unordered_map<Ref<SymVar>, int64_t> iterations;  // of loops from 0 on, at most

 private:
  using StmtVisitor::visit;
  void visit(const Stmt& s) override {
    switch (s->kind) {
      case StmtKind::BufferStore: {
        const auto* store = find<BufferStore>(s);
        if (!is_own(store->buffer)) stored.insert(store->buffer.get());
        note(store->buffer, store->indices);
        break;
      }
      case StmtKind::For: {
        const auto* loop = find<For>(s);
        are_plain = are_plain && loop->for_kind != ForKind::Parallel;
        const int64_t* first = find_int(loop->min);
        int64_t& most = iterations.try_emplace(loop->var, 0).first->second;
        most = std::max(most, first && *first == 0 ? most_of(loop->extent) : std::numeric_limits<int64_t>::max());
        break;
      }
      case StmtKind::AllocBuffer: own_.push_back(find<AllocBuffer>(s)->buffer); break;
      case StmtKind::Seq:
      case StmtKind::IfThenElse:
      case StmtKind::While:
      case StmtKind::Bind: break;
      default: are_plain = false;
    }
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      if (const auto* l = find<BufferLoad>(node)) note(l->buffer, l->indices);
    });
  }
  bool is_own(const Ref<Buffer>& b) const { return std::ranges::find(own_, b) != own_.end(); }
  void note(const Ref<Buffer>& b, const std::vector<Scalar>& indices) {
    are_plain = are_plain && !b->dtype.is_packed() && b->is_dense();
    if (!is_own(b)) all.emplace_back(b.get(), &indices);
  }

  std::vector<Ref<Buffer>> own_;
};

/// Returns the n of an index `iterator * n` plus a loop of n iterations at most, 1 for the iterator itself; 0 for other
/// indices. Two values of the iterator have no index in common where all accesses have the same n.
int64_t scale_of(const Scalar& index, const Ref<SymVar>& iterator, const Accesses& accesses) {
  if (index.get() == iterator.get()) return 1;
  const auto* both = find<Binary>(index);
  const auto* scaled = both && both->op == BinaryOp::Add ? find<Binary>(both->a) : nullptr;
  if (!scaled || scaled->op != BinaryOp::Mul || scaled->a.get() != iterator.get()) return 0;
  const auto loop = accesses.iterations.find(find_ref<SymVar>(both->b));
  const int64_t* n = find_int(scaled->b);
  return n && *n > 0 && loop != accesses.iterations.end() && loop->second <= *n ? *n : 0;
}

/// True when iterations of a loop, as `iterator`, have a part of their own of each buffer that is written.
bool has_own_parts(const Accesses& accesses, const Ref<SymVar>& iterator) {
  std::map<const Buffer*, std::vector<int64_t>> scales;  // by dimension
  for (const auto& [buffer, indices] : accesses.all) {
    if (!accesses.stored.contains(buffer)) continue;
    const auto [known, is_new] = scales.try_emplace(buffer);
    for (size_t d = 0; d < indices->size(); ++d) {
      const int64_t scale = scale_of((*indices)[d], iterator, accesses);
      if (is_new)
        known->second.push_back(scale);
      else if (known->second[d] != scale)
        known->second[d] = 0;
    }
  }
  return !scales.empty() && std::ranges::all_of(scales, [](const auto& entry) {
    return std::ranges::any_of(entry.second, [](int64_t scale) { return scale > 0; });
  });
}

/// Returns about how many stores a statement does.
int64_t work_of(const Stmt& s) {
  constexpr int64_t kMost = int64_t{1} << 40;
  switch (s->kind) {
    case StmtKind::For: {
      const int64_t most = most_of(find<For>(s)->extent);
      return std::min(kMost, (most < kMost ? most : kUnknownLoop) * std::min(kMost >> 20, work_of(find<For>(s)->body)));
    }
    case StmtKind::While: return kUnknownLoop * work_of(find<While>(s)->body);
    case StmtKind::Bind: return work_of(find<Bind>(s)->body);
    case StmtKind::AllocBuffer: return work_of(find<AllocBuffer>(s)->body);
    case StmtKind::IfThenElse: return work_of(find<IfThenElse>(s)->then_case);
    case StmtKind::Seq: {
      int64_t sum = 0;
      for (const Stmt& part : find<Seq>(s)->stmts) sum += work_of(part);
      return std::min(kMost, sum);
    }
    default: return 1;
  }
}

/// Returns the nest with its outer loops on threads; null where none of them can be.
Stmt on_threads(const Stmt& s) {
  const std::optional<BlockNest> nest = read_block_nest(s);
  if (!nest) return nullptr;
  const Accesses accesses(*nest->realize->block);
  if (!accesses.are_plain) return nullptr;
  size_t count = 0;
  Scalar iterations = int_imm(1);
  Stmt body = s;
  for (; count < nest->loops.size(); ++count) {
    const Ref<SymVar> iterator = nest->spatial_iterator(nest->loops[count]);
    if (!iterator || !has_own_parts(accesses, iterator)) break;
    iterations = product(iterations, as_index(nest->loops[count].extent));
    body = find<For>(body)->body;
  }
  if (count == 0) return nullptr;
  std::vector<Ref<SymVar>> loops;
  std::vector<Scalar> extents;
  Scalar inside = int_imm(work_of(nest->realize->block->body));
  for (size_t i = 0; i < nest->loops.size(); ++i) {
    if (i >= count) {
      inside = product(inside, as_index(nest->loops[i].extent));
      continue;
    }
    loops.push_back(nest->loops[i].var);
    extents.push_back(nest->loops[i].extent);
  }
  if (count == 1) return chunked_loop(loops[0], iterations, inside, body);
  const Ref<SymVar> number = SymVar::make(loops[0]->name, DType::int_(64));
  Substitution at;
  split_number(number, loops, extents, at);
  return chunked_loop(number, iterations, inside, substitute(body, at));
}

}  // namespace

Ref<PrimFunc> schedule_blocks(const Ref<PrimFunc>& func) {
  std::optional<RootBody> root = read_root(*func);
  if (!root || !called_functions(*func).empty()) return func;
  bool changed = false;
  for (Stmt& s : root->stmts)
    if (Stmt spread = on_threads(s)) {
      s = spread;
      changed = true;
    }
  return changed ? with_root(func, *root) : func;
}

}  // namespace sunmao
