// Device placement: finds calls of one function that require different devices for the same tensor inside that
// function, so that each of these calls needs a copy of the function of its own.
#pragma once
#include <set>
#include <utility>
#include <vector>

#include "ir/type.h"

namespace sunmao {

/// A pair of places that must be on one device: within a function (`call` < 0), across a call, with number `call`, of a
/// function that may be copied, or across a call of a function that all callers share (`is_shared`).
struct PlacePair {
  int outside, inside;
  int call = -1;
  bool is_shared = false;
};
struct PlaceDemand {
  int place;
  Ref<VDevice> device;
};

/// Returns pairs of call numbers that give one place of the callee different devices. The effect of a callee on its
/// parameters is applied at each call site separately (context-sensitive), so other calls do not influence it.
std::set<std::pair<int, int>> find_parted_calls(size_t places, const std::vector<PlacePair>& pairs,
                                                const std::vector<PlaceDemand>& demands);

}  // namespace sunmao
