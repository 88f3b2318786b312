// BlockMemory: which tensors of a function share a storage. A tensor is planned when it is made and read in one block,
// by loop-level and extern functions alone, and neither a result nor a condition.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "ir/module.h"
#include "passes/analysis/size_bounds.h"

namespace sunmao {

/// A piece of memory; tensors that use it one after the other make it as large as the largest of them.
struct BlockStorage {
  Scalar bytes;
  DType dtype;
  std::string scope;
  const BindingBlock* block;  // where the tensor is made for which it was planned
  int64_t uses = 0;           // the calls to come that read or write what it holds
  bool is_unplanned = false;
};

class BlockMemory {
 public:
  BlockMemory(const Module& module, const Function& function, SizeBounds& bounds);
  /// Returns the storage of the tensor that the variable is bound to; null when it is not planned.
  const BlockStorage* storage_of(const Ref<Var>& tensor) const;

 private:
  // The storages of a value: one of a tensor, those of the fields of a tuple, or none.
  struct Held {
    BlockStorage* storage = nullptr;
    std::vector<Held> fields = {};
  };
  using PoolKey = std::pair<std::string, std::string>;  // scope, dtype
  using Pool = std::map<PoolKey, std::multimap<int64_t, BlockStorage*>>;

  // The first walk counts uses, and finds out what cannot be planned.
  void count(const SeqExpr& seq);
  void count(const Binding& b, const BindingBlock& block);
  void count_call(const Ref<Var>& var, const Call& call, const BindingBlock& block);
  void make_storage(const Ref<Var>& var, const Call& alloc, const BindingBlock& block);
  void leave_out(const Held& held);
  bool only_fills_arguments(const Call& call) const;

  // The second walk gives each tensor a storage that is free, or a new one.
  void place(const SeqExpr& seq);
  void place(const Binding& b);
  enum class Runs : uint8_t { Now, Later };
  void place_inside(const SeqExpr& seq, Runs runs);
  void restore(const Pool& outer);
  void release_uses(const Held& held);
  BlockStorage* find_free(const BlockStorage& wanted);
  BlockStorage* take(std::multimap<int64_t, BlockStorage*>& pool, std::multimap<int64_t, BlockStorage*>::iterator it,
                     const BlockStorage& wanted);
  void release(BlockStorage* storage);

  Held held_by(const Expr& e) const;
  static int64_t known_bytes(const BlockStorage& storage);

  const Module& module_;
  SizeBounds& bounds_;
  std::list<BlockStorage> storages_;
  std::unordered_map<Ref<Var>, Held> held_;
  std::unordered_map<Ref<Var>, BlockStorage*> planned_;
  Pool free_;
};

/// True for calls that give out the memory of their first argument, with another shape or type.
bool is_view_of_argument(const Call& call);

}  // namespace sunmao
