// Where the private functions of a module are called.
#pragma once
#include <map>

#include "ir/module.h"

namespace sunmao {

struct CallSites {
  Ref<Function> function;
  std::vector<Ref<Call>> calls;
};

/// The private graph-level functions whose every mention is a direct call, by name: their signatures may change as
/// long as the calls follow.
std::map<std::string, CallSites> find_call_sites(const Module& m);

}  // namespace sunmao
