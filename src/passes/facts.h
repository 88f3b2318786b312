// Facts: what a module may be said to be, each with a name and a check. Passes say in their records which facts they
// need of a module and which hold of what they give.
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
  /// What breaks it first, in words; empty where it holds.
  std::string (*find_breach)(const Module& module);
};

/// In the order of `Fact`.
const std::vector<FactInfo>& all_facts();
const FactInfo& info_of(Fact fact);

}  // namespace sunmao
