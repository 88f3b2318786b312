// ValueAliases: which pieces of memory the values of a dataflow block may be, by numbers. A tuple is a piece of its
// own, with pieces for its fields.
#pragma once
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

using MemorySet = std::set<int64_t>;
/// Stands for memory of which nothing is known.
constexpr int64_t kUnknownMemory = -1;

class ValueAliases {
 public:
  /// `inputs` are values from outside of the block that have memory of their own.
  ValueAliases(const BindingBlock& block, const std::vector<Ref<Var>>& inputs);
  /// The variables of the block and its inputs, in order.
  const std::vector<std::pair<Ref<Var>, MemorySet>>& all() const { return all_; }
  /// The fields of the tuples by their numbers.
  const std::map<int64_t, std::vector<MemorySet>>& tuples() const { return tuples_; }
  /// Returns null for a variable of which nothing is known.
  const MemorySet* find(const Ref<Var>& var) const;
  /// True when one of the pieces is a constant, which must not be written.
  bool is_constant(const MemorySet& memory) const;
  /// Returns the pieces of the memory and of the fields in it.
  MemorySet with_fields(const MemorySet& memory) const;

 private:
  void set(const Ref<Var>& var, MemorySet memory);
  MemorySet memory_of(const Expr& value);
  MemorySet memory_of_call(const Call& call);
  MemorySet fresh(const Type& type);
  MemorySet memory_of_field(const TupleGetItem& item);
  MemorySet new_tuple(std::vector<MemorySet> fields);
  MemorySet any_of_arguments(const Call& call, size_t first);
  MemorySet in_place_of(const Call& call, const std::vector<int64_t>& places);
  void add_to_fields(int64_t tuple, const MemorySet& memory);

  int64_t count_ = 0;
  std::vector<std::pair<Ref<Var>, MemorySet>> all_;
  std::unordered_map<Ref<Var>, size_t> index_;
  std::map<int64_t, std::vector<MemorySet>> tuples_;
  MemorySet constants_;
};

}  // namespace sunmao
