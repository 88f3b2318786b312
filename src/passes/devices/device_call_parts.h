// Device placement: finds calls of one function that require different devices for the same tensor inside that
// function, so that each of these calls needs a copy of the function of its own.
#pragma once
#include <set>
#include <utility>
#include <vector>

#include "ir/type.h"

namespace sunmao {

/// Two places that must be on one device. The constraint comes from inside a function (`call` < 0), from the call with
/// number `call` of a function that may be copied, or from a call of a function that all callers share (`is_shared`).
struct PlacePair {
  int outside, inside;
  int call = -1;
  bool is_shared = false;
};
struct PlaceDemand {
  int place;
  Ref<VDevice> device;
};

/// Returns pairs of call numbers that propagate different devices to the same place of the callee. The analysis is
/// context-sensitive: what a callee demands of its parameters is applied at each call site separately, so one call does
/// not influence another.
std::set<std::pair<int, int>> find_parted_calls(size_t places, const std::vector<PlacePair>& pairs,
                                                const std::vector<PlaceDemand>& demands);

}  // namespace sunmao
