// ValueFlow: propagation of taint during one run, for a PoisonWatch.
#pragma once
#include <string_view>
#include <unordered_set>

#include "eval/environment.h"
#include "eval/memory.h"
#include "eval/poison.h"
#include "ir/module.h"
#include "ir/op.h"
#include "loop/prim_func.h"

namespace sunmao {

/// What a call does with its arguments: runs a graph-level function on them, moves them or manages memory without
/// computing, or computes a result from them.
enum class CallKind : uint8_t { RunsFunction, Moves, Computes };

/// Returns the kind of a call. `callee` is the called value, or null if the callee is not a value.
CallKind kind_of(const Call& call, const Module& module, const Value* callee);

class ValueFlow {
 public:
  ValueFlow(PoisonWatch& watch, Memory& memory) : watch_(watch), memory_(memory) {}

  /// Sets the taint of the run's arguments. Fails (E0505) when a poisoned index is out of range.
  void begin(ValueTuple& args) const;
  /// Returns the maximum taint of the value and its contents; for an array, including that of its memory.
  Seen of(const Value& value) const;
  Seen of(const ValueTuple& values) const;
  /// Records that a loop-level function has run on these arguments and may have written to some.
  void note_writes(const PrimFunc& func, const ValueTuple& args);
  /// Records a computing call whose inputs have taint `seen`, unless that is Poison; a call is recorded once per taint.
  void note_work(const Call& call, Seen seen, std::string_view function, const Var* binding);

 private:
  PoisonWatch& watch_;
  Memory& memory_;
  std::unordered_set<const Call*> clean_, constant_;
};

}  // namespace sunmao
