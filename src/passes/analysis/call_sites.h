// Call sites of private functions.
#pragma once
#include <map>

#include "ir/module.h"

namespace sunmao {

struct CallSites {
  Ref<Function> function;
  std::vector<Ref<Call>> calls;
  std::vector<std::string> callers;  // the function that makes each call
};

/// Returns the private graph-level functions, by name, that are used, if at all, only as the callee of direct calls.
/// Their signatures may change when all call sites are changed, too.
std::map<std::string, CallSites> find_call_sites(const Module& m);

}  // namespace sunmao
