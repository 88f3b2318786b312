// Which calls ask one function for different devices, seen from the functions that call it.
#pragma once
#include <set>
#include <utility>
#include <vector>

#include "ir/type.h"

namespace sunmao {

/// Two places that lie together: in one function, across call number `call` of a function that may be copied, or across
/// a call of one that all callers share.
struct PlacePair {
  int outside, inside;
  int call = -1;
  bool is_shared = false;
};
struct PlaceDemand {
  int place;
  Ref<VDevice> device;
};

/// Pairs of calls, by their numbers, that give one place of a function different devices. What a function does with its
/// parameters is known at each call, so that a device is followed through a call without what other calls bring along.
std::set<std::pair<int, int>> find_parted_calls(size_t places, const std::vector<PlacePair>& pairs,
                                                const std::vector<PlaceDemand>& demands);

}  // namespace sunmao
