#include "passes/upstream/block_memory.h"

#include <algorithm>
#include <array>

#include "ir/op.h"
#include "loop/prim_func.h"

namespace sunmao {
namespace {

constexpr int64_t kUnknownBytes = -1;
// A storage is reused for a tensor that is at most this many times smaller or larger, as upstream has it.
constexpr int64_t kMatchRange = 16;

const Call* find_allocation(const Binding& b) {
  return b.is_match_cast() ? nullptr : find_call(b.value, "builtin.alloc_tensor");
}

}  // namespace

bool is_view_of_argument(const Call& call) {
  constexpr std::array<std::string_view, 3> kViews{"reshape", "memory.view", "memory.ensure_zero_offset"};
  if (const auto* external = find<ExternFunc>(call.callee)) return external->name == "vm.builtin.reshape";
  const auto* op = find<Op>(call.callee);
  return op && std::ranges::find(kViews, op->name()) != kViews.end();
}

BlockMemory::BlockMemory(const Module& module, const Function& function, SizeBounds& bounds)
    : module_(module), bounds_(bounds) {
  count(*function.body);
  held_.clear();
  place(*function.body);
}

const BlockStorage* BlockMemory::storage_of(const Ref<Var>& tensor) const {
  auto it = planned_.find(tensor);
  return it == planned_.end() || it->second->is_unplanned ? nullptr : it->second;
}

BlockMemory::Held BlockMemory::held_by(const Expr& e) const {
  if (const auto* tuple = find<Tuple>(e)) {
    Held held;
    for (const Expr& field : tuple->fields) held.fields.push_back(held_by(field));
    return held;
  }
  if (const auto* item = find<TupleGetItem>(e)) {
    Held held = held_by(item->tuple);
    const auto i = static_cast<size_t>(item->index);
    return i < held.fields.size() ? held.fields[i] : Held();
  }
  auto it = held_.find(find_ref<Var>(e));
  return it == held_.end() ? Held() : it->second;
}

void BlockMemory::leave_out(const Held& held) {
  if (held.storage) held.storage->is_unplanned = true;
  for (const Held& field : held.fields) leave_out(field);
}

void BlockMemory::count(const SeqExpr& seq) {
  for (const Ref<BindingBlock>& block : seq.blocks)
    for (const Binding& b : block->bindings) count(b, *block);
  leave_out(held_by(seq.body));
}

void BlockMemory::count(const Binding& b, const BindingBlock& block) {
  if (const auto* call = find<Call>(b.value)) {
    count_call(b.var, *call, block);
  } else if (const auto* branch = find<If>(b.value)) {
    leave_out(held_by(branch->condition));
    count(*branch->then_branch);
    count(*branch->else_branch);
  } else if (const auto* local = find<Function>(b.value)) {
    count(*local->body);
  } else if (const auto* seq = find<SeqExpr>(b.value)) {
    count(*seq);
  } else {
    held_[b.var] = held_by(b.value);
  }
}

void BlockMemory::count_call(const Ref<Var>& var, const Call& call, const BindingBlock& block) {
  if (find_call(Expr(&call), "builtin.alloc_tensor")) return make_storage(var, call, block);
  if (is_view_of_argument(call)) {
    held_[var] = held_by(call.args[0]);
    return;
  }
  auto use = [&](auto& self, const Held& held) -> void {
    if (held.storage && held.storage->block == &block) ++held.storage->uses;
    if (held.storage && held.storage->block != &block) held.storage->is_unplanned = true;
    for (const Held& field : held.fields) self(self, field);
  };
  for (const Expr& arg : call.args)
    if (only_fills_arguments(call))
      use(use, held_by(arg));
    else
      leave_out(held_by(arg));
}

bool BlockMemory::only_fills_arguments(const Call& call) const {
  if (find<ExternFunc>(call.callee) || find_call(Expr(&call), "vm.call_tir_dyn")) return true;
  const auto* callee = find<GlobalVar>(call.callee);
  return callee && module_.find_as<PrimFunc>(callee->name);
}

void BlockMemory::make_storage(const Ref<Var>& var, const Call& alloc, const BindingBlock& block) {
  const auto* type = find<TensorType>(alloc.type);
  if (!type || !type->dims() || type->is_unknown_dtype()) return;
  const auto* scope = find<StringLiteral>(alloc.args.back());
  std::vector<Scalar> known{int_imm((type->dtype.stored_bits() + 7) / 8)}, open;
  for (const Scalar& size : bounds_.largest(*type->dims())) (find_int(size) ? known : open).push_back(size);
  storages_.push_back({.bytes = product_of({product_of(known), product_of(open)}),
                       .dtype = type->dtype,
                       .scope = scope ? scope->value : "global",
                       .block = &block});
  held_[var] = {.storage = &storages_.back()};
  planned_[var] = &storages_.back();
}

void BlockMemory::place(const SeqExpr& seq) {
  for (const Ref<BindingBlock>& block : seq.blocks) {
    const Pool outer = block->is_dataflow ? free_ : Pool();
    for (const Binding& b : block->bindings) place(b);
    if (block->is_dataflow) restore(outer);
  }
}

// A local function may run when other tensors of its surroundings are alive; a branch may not.
void BlockMemory::place_inside(const SeqExpr& seq, Runs runs) {
  const Pool outer = free_;
  if (runs == Runs::Later) free_.clear();
  place(seq);
  restore(outer);
}

// Storages that were made since are out of scope; others may have become larger.
void BlockMemory::restore(const Pool& outer) {
  free_.clear();
  for (const auto& [key, pool] : outer)
    for (const auto& [bytes, storage] : pool) release(storage);
}

void BlockMemory::place(const Binding& b) {
  if (const auto* branch = find<If>(b.value)) {
    place_inside(*branch->then_branch, Runs::Now);
    place_inside(*branch->else_branch, Runs::Now);
    return;
  }
  if (const auto* local = find<Function>(b.value)) return place_inside(*local->body, Runs::Later);
  if (const auto* seq = find<SeqExpr>(b.value)) return place_inside(*seq, Runs::Now);
  const auto* call = find<Call>(b.value);
  if (find_allocation(b)) {
    auto wanted = planned_.find(b.var);
    if (wanted == planned_.end() || wanted->second->is_unplanned) return;
    if (BlockStorage* free = find_free(*wanted->second)) wanted->second = free;
    held_[b.var] = {.storage = wanted->second};
  } else if (!call || is_view_of_argument(*call)) {
    held_[b.var] = held_by(call ? call->args[0] : b.value);
  } else {
    for (const Expr& arg : call->args) release_uses(held_by(arg));
  }
}

void BlockMemory::release_uses(const Held& held) {
  if (held.storage && --held.storage->uses == 0) release(held.storage);
  for (const Held& field : held.fields) release_uses(field);
}

int64_t BlockMemory::known_bytes(const BlockStorage& storage) {
  const int64_t* bytes = find_int(storage.bytes);
  return bytes ? *bytes : kUnknownBytes;
}

void BlockMemory::release(BlockStorage* storage) {
  free_[{storage->scope, storage->dtype.str()}].emplace(known_bytes(*storage), storage);
}

BlockStorage* BlockMemory::take(std::multimap<int64_t, BlockStorage*>& pool,
                                std::multimap<int64_t, BlockStorage*>::iterator it, const BlockStorage& wanted) {
  BlockStorage* storage = it->second;
  pool.erase(it);
  storage->uses = wanted.uses;
  return storage;
}

// Returns a free storage of the same size where sizes are open; else the smallest that is large enough, or the largest
// that can be made so.
BlockStorage* BlockMemory::find_free(const BlockStorage& wanted) {
  if (wanted.uses == 0) return nullptr;
  auto& pool = free_[{wanted.scope, wanted.dtype.str()}];
  const int64_t bytes = known_bytes(wanted);
  if (bytes == kUnknownBytes) {
    auto [begin, end] = pool.equal_range(kUnknownBytes);
    auto it = std::find_if(begin, end, [&](const auto& e) { return bounds_.are_equal(e.second->bytes, wanted.bytes); });
    return it == end ? nullptr : take(pool, it, wanted);
  }
  auto begin = pool.lower_bound(bytes / kMatchRange), fit = pool.lower_bound(bytes),
       end = pool.upper_bound(bytes > Interval::kMax / kMatchRange ? Interval::kMax : bytes * kMatchRange);
  if (fit != end) return take(pool, fit, wanted);
  if (fit == begin) return nullptr;
  BlockStorage* enlarged = take(pool, std::prev(fit), wanted);
  enlarged->bytes = wanted.bytes;
  return enlarged;
}

}  // namespace sunmao
