// Facts: named, checkable properties of a module. The record of a pass (passes/pass.h) lists the facts that the pass
// needs of its input and those that it ensures of its output.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

enum class Fact : uint8_t {
  Normal,
  NoDataflow,
  NoLocalFunctions,
  NoHints,
  NoDeadBindings,
  NoInlinableCalls,
  NoTupleParams,
  NoComputedScalars,
  Public,
  UnderSymbols,
  StatesInputs,
  OneWeightTuple,
  NothingToLift,
  MemoryStated,
  TensorsInStorage,
  PurityUntracked,
};

struct FactInfo {
  Fact fact;
  const char* name;  // "no-dataflow"
  const char* summary;
  /// Describes a violation of the fact; empty when the fact holds.
  std::string (*find_breach)(const Module& module);
};

/// The facts, indexed by the value of `Fact`.
const std::vector<FactInfo>& all_facts();
const FactInfo& info_of(Fact fact);

}  // namespace sunmao
