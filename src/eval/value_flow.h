// ValueFlow: what the values of one run have seen, while a PoisonWatch follows it.
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

/// What a call does with what it is given: a graph-level function computes on it, call by call; it comes out as it went
/// in, or makes room; something is computed of it.
enum class CallKind : uint8_t { RunsFunction, Moves, Computes };

/// Whether the op calls its first argument.
bool calls_argument(const Op& op);

/// `callee` is the value that is called, where it is one.
CallKind kind_of(const Call& call, const Module& module, const Value* callee);

class ValueFlow {
 public:
  ValueFlow(PoisonWatch& watch, Memory& memory) : watch_(watch), memory_(memory) {}

  /// Marks the arguments of the run. E0505 when one that shall be poisoned is not among them.
  void begin(ValueTuple& args) const;
  /// The value and all that it holds; of an array what its memory has seen by now.
  Seen of(const Value& value) const;
  Seen of(const ValueTuple& values) const;
  /// A loop-level function has run on these arguments, and may have written into some.
  void note_writes(const PrimFunc& func, const ValueTuple& args);
  /// A call that has computed something of what has seen `seen`.
  void note_work(const Call& call, Seen seen, std::string_view function, const Var* binding);

 private:
  PoisonWatch& watch_;
  Memory& memory_;
  std::unordered_set<const Call*> clean_, constant_;
};

}  // namespace sunmao
